//! Search as you type: wait until the typing pauses, search, and forget a search that is out of date.
//!
//! ```sh
//! cargo run --example search_as_you_type
//! ```
//!
//! The keys come from a callback, as a user interface reports them. The clock is paused, so it runs at once.

use std::cell::RefCell;
use std::convert::Infallible;
use std::time::Duration;

use coldflow::retry::Backoff;
use coldflow::{Flow, FlowExt, Retry, Sender, callback_flow, retry};
use tokio::time::{Instant, sleep};

/// How long a pause ends the typing.
const PAUSE: Duration = Duration::from_millis(300);

/// What is shown below the input.
#[derive(Clone, Debug, PartialEq)]
enum Results {
    Searching(String),
    Found(Vec<&'static str>),
    Failed(&'static str),
}

/// The input of a user interface: it reports what is in it to whoever has registered.
#[derive(Default)]
struct Input {
    listener: RefCell<Option<Sender<String>>>,
}

impl Input {
    fn report(&self, text: &str) {
        if let Some(listener) = &*self.listener.borrow() {
            // What does not fit is out of date already.
            let _ = listener.try_send(text.to_owned());
        }
    }

    /// What is typed. It ends when the window is closed.
    fn typed(&self) -> impl Flow<Item = String, Error = Infallible> {
        callback_flow(|sender| {
            *self.listener.borrow_mut() = Some(sender);
            Registration(self)
        })
    }

    fn close(&self) {
        *self.listener.borrow_mut() = None;
    }
}

/// Unregisters when nobody listens any more.
struct Registration<'a>(&'a Input);

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A search that takes 400 ms, and fails the first time. It writes down what it was asked, and what it has answered.
#[derive(Default)]
struct Search {
    log: RefCell<Vec<String>>,
}

impl Search {
    async fn find(&self, text: String) -> Result<Vec<&'static str>, &'static str> {
        self.log.borrow_mut().push(format!("{text}?"));
        let first = self.log.borrow().len() == 1;
        sleep(Duration::from_millis(400)).await;
        self.log.borrow_mut().push(format!("{text}!"));
        if first {
            return Err("the index is being loaded");
        }
        Ok(["cold", "coldflow", "collect", "retry"].into_iter().filter(|word| word.starts_with(&text)).collect())
    }
}

/// What is to be shown, one after the other.
fn results(
    typed: impl Flow<Item = String, Error = Infallible>,
    search: &Search,
) -> impl Flow<Item = Results, Error = Infallible> {
    typed.debounce(PAUSE).distinct_until_changed().flat_map_latest(move |text| {
        let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_millis(100)));
        let asked = text.clone();
        retry(policy, move || search.find(asked.clone()))
            .map(Results::Found)
            .catch(async |cause, mut emitter| emitter.emit(Results::Failed(cause)).await)
            .start_with([Results::Searching(text)])
    })
}

/// Types at these times, in milliseconds, and closes the window.
async fn type_into(input: &Input) {
    let began = Instant::now();
    for (time, text) in
        [(0, "c"), (80, "co"), (160, "col"), (1_500, "colx"), (1_600, "col"), (2_500, "re"), (2_850, "ret")]
    {
        tokio::time::sleep_until(began + Duration::from_millis(time)).await;
        input.report(text);
    }
    sleep(Duration::from_secs(2)).await;
    input.close();
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let (input, search) = (Input::default(), Search::default());
    let began = Instant::now();
    let mut shown = Vec::new();
    let show = results(input.typed(), &search).for_each(|results| {
        println!("{:>4} ms  {results:?}", began.elapsed().as_millis());
        shown.push(results);
        std::future::ready(())
    });
    let (Ok(()), ()) = tokio::join!(show, type_into(&input));

    assert_eq!(
        shown,
        [
            // "c" and "co" were followed too soon, and so was "colx" by the "col" that is shown already.
            Results::Searching("col".to_owned()),
            Results::Found(vec!["cold", "coldflow", "collect"]),
            // Out of date when "ret" came: it was asked, and never answered.
            Results::Searching("re".to_owned()),
            Results::Searching("ret".to_owned()),
            Results::Found(vec!["retry"]),
        ]
    );
    // "col" was asked twice, since the first search failed.
    assert_eq!(*search.log.borrow(), ["col?", "col!", "col?", "col!", "re?", "ret?", "ret!"]);
}
