//! The two pieces of boilerplate that every operator repeats.

/// `Debug` that shows the named fields and leaves the closures out.
macro_rules! debug_fields {
    ($name:ident<$($life:lifetime,)? $($param:ident),*> { $($field:ident: $bound:ident),* }) => {
        impl<$($life,)? $($param),*> core::fmt::Debug for $name<$($life,)? $($param),*>
        where
            $($bound: core::fmt::Debug,)*
        {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    };
}

/// Methods of `FusedStream`, `FlowStream` and `Restart` that do just what the field `stream` does.
macro_rules! forward {
    ($($method:ident),+) => { $(forward!(@$method);)+ };
    (@is_terminated) => {
        fn is_terminated(&self) -> bool {
            self.stream.is_terminated()
        }
    };
    (@size_hint) => {
        fn size_hint(&self) -> (usize, Option<usize>) {
            self.stream.size_hint()
        }
    };
    (@poll_progress) => {
        fn poll_progress(
            self: core::pin::Pin<&mut Self>,
            cx: &mut core::task::Context<'_>,
        ) -> core::task::Poll<()> {
            self.project().stream.poll_progress(cx)
        }
    };
    (@stop) => {
        fn stop(self: core::pin::Pin<&mut Self>) {
            self.project().stream.stop();
        }
    };
    (@restart) => {
        fn restart(self: core::pin::Pin<&mut Self>) {
            self.project().stream.restart();
        }
    };
}
