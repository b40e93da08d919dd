//! Futures that collect a flow to its end, or as far as they need to.

mod any;
mod collect;
mod count;
mod first;
mod fold;
mod for_each;
mod for_each_latest;
mod reduce;
mod run;
mod single;
mod single_or_none;

pub use any::Any;
pub use collect::Collect;
pub use count::Count;
pub use first::First;
pub use fold::{Fold, FoldOutput};
pub use for_each::ForEach;
pub use for_each_latest::ForEachLatest;
pub use reduce::Reduce;
pub use run::Run;
pub use single::Single;
pub use single_or_none::SingleOrNone;
