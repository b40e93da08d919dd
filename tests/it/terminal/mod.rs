//! A file per terminal. What they share with those of std's iterators is in `iterators`, what holds for all in `surface`.

mod any_all_none;
mod collect;
mod count;
mod first;
mod fold;
mod for_each;
mod last;
mod reduce;
mod run;
mod single;
mod single_or_none;
