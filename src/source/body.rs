//! What a body may return.

use core::convert::Infallible;

/// What a body that brings its own error returns: `()` or `Result<(), E>`.
///
/// Of [`flow`](crate::flow) and [`catch`](crate::FlowExt::catch). `()` makes the error
/// [`Infallible`](core::convert::Infallible); `Result<(), E>` makes it `E`, and `?` works in the body.
#[diagnostic::on_unimplemented(
    message = "a body returns `()` or `Result<(), E>`, not `{Self}`",
    label = "the body's last expression has this type",
    note = "values are emitted, not returned: `emitter.emit(value).await;`",
    note = "a body of one value that is returned is `once(|| async {{ .. }})`"
)]
pub trait BodyOutput: sealed::Sealed {
    /// What a flow with this body fails with.
    type Error;

    /// The same as a result.
    #[doc(hidden)]
    fn into_result(self) -> Result<(), Self::Error>;
}

impl BodyOutput for () {
    type Error = Infallible;

    fn into_result(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<E> BodyOutput for Result<(), E> {
    type Error = E;

    fn into_result(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl BodyOutput for Never {
    type Error = Infallible;

    fn into_result(self) -> Result<(), Infallible> {
        self
    }
}

/// What a lambda within a flow of error `E` returns: its value, or a `Result` of that and the flow's error.
///
/// The value is `()`, or `bool` for [`transform_while`](crate::FlowExt::transform_while). With a `Result`, `?` works in
/// the lambda.
#[diagnostic::on_unimplemented(
    message = "a lambda that emits returns `()` or `Result<(), {E}>`, not `{Self}`",
    label = "the lambda's last expression has this type",
    note = "values are emitted, not returned: `emitter.emit(value).await;`",
    note = "for another error, convert it where it occurs, or the flow's by `.err_into()` or `.fallible()` first"
)]
pub trait LambdaOutput<E>: sealed::Sealed {
    /// What it returns when it does not fail.
    type Value;

    /// The same as a result.
    #[doc(hidden)]
    fn into_result(self) -> Result<Self::Value, E>;
}

impl<E> LambdaOutput<E> for () {
    type Value = ();

    fn into_result(self) -> Result<(), E> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<E> LambdaOutput<E> for Never {
    type Value = ();

    fn into_result(self) -> Result<(), E> {
        self
    }
}

impl<E> LambdaOutput<E> for bool {
    type Value = bool;

    fn into_result(self) -> Result<bool, E> {
        Ok(self)
    }
}

impl<V, E> LambdaOutput<E> for Result<V, E> {
    type Value = V;

    fn into_result(self) -> Self {
        self
    }
}

/// `!`, which is what a body comes to that loops for ever or panics. Stable Rust does not let it be written here, but
/// it can be had as the output of a function pointer.
type Never = <fn() -> ! as sealed::Returns>::Output;

/// The value of a [`LambdaOutput`] behind which the flow goes on or ends.
pub trait GoesOn: sealed::Sealed {
    /// Whether it goes on: `()` does.
    #[doc(hidden)]
    fn goes_on(self) -> bool;
}

impl GoesOn for () {
    fn goes_on(self) -> bool {
        true
    }
}

impl GoesOn for bool {
    fn goes_on(self) -> bool {
        self
    }
}

mod sealed {
    pub trait Sealed {}

    pub trait Returns {
        type Output;
    }

    impl<T> Returns for fn() -> T {
        type Output = T;
    }

    impl Sealed for () {}
    impl Sealed for bool {}
    impl Sealed for super::Never {}
    impl<V, E> Sealed for Result<V, E> {}
}
