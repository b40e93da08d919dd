//! What a source runs, and how it is told the number of its run.

use core::future::Future;

/// What a source runs for each collection: a closure of `Args`, or a [`Numbered`] one.
///
/// `Args` is `()` for [`once`](crate::once), and `(Emitter<T>,)` for [`flow`](crate::flow).
pub trait SourceBody<Args> {
    /// The body as it runs.
    type Running: Future;

    /// Begins a run.
    #[doc(hidden)]
    fn run(&mut self, args: Args) -> Self::Running;
}

impl<Body, Fut> SourceBody<()> for Body
where
    Body: FnMut() -> Fut,
    Fut: Future,
{
    type Running = Fut;

    #[inline]
    fn run(&mut self, (): ()) -> Fut {
        self()
    }
}

impl<Body, A, Fut> SourceBody<(A,)> for Body
where
    Body: FnMut(A) -> Fut,
    Fut: Future,
{
    type Running = Fut;

    #[inline]
    fn run(&mut self, (arg,): (A,)) -> Fut {
        self(arg)
    }
}

/// A body that is told which of the runs of its collection it begins.
///
/// Of [`once_with`](crate::once_with) and [`flow_with`](crate::flow_with).
#[derive(Clone)]
pub struct Numbered<Body> {
    body: Body,
    // A recipe does not run, so what is cloned is 0.
    runs: u64,
}

debug_fields!(Numbered<Body> { runs: u64 });

impl<Body> Numbered<Body> {
    pub(crate) fn new(body: Body) -> Self {
        Numbered { body, runs: 0 }
    }
}

impl<Body, Fut> SourceBody<()> for Numbered<Body>
where
    Body: FnMut(u64) -> Fut,
    Fut: Future,
{
    type Running = Fut;

    #[inline]
    fn run(&mut self, (): ()) -> Fut {
        self.runs += 1;
        (self.body)(self.runs)
    }
}

impl<Body, A, Fut> SourceBody<(A,)> for Numbered<Body>
where
    Body: FnMut(u64, A) -> Fut,
    Fut: Future,
{
    type Running = Fut;

    #[inline]
    fn run(&mut self, (arg,): (A,)) -> Fut {
        self.runs += 1;
        (self.body)(self.runs, arg)
    }
}
