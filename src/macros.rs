//! The boilerplate that really repeats.

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

/// Calls a macro for each length of a tuple of flows: the length, then for each flow its type, its stream's, its item's
/// and its place.
#[cfg(feature = "std")]
macro_rules! for_each_tuple {
    ($implement:ident) => {
        $implement!(2: A SA TA 0, B SB TB 1);
        $implement!(3: A SA TA 0, B SB TB 1, C SC TC 2);
        $implement!(4: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3);
        $implement!(5: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4);
        $implement!(6: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4, G SG TG 5);
        $implement!(7: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4, G SG TG 5, H SH TH 6);
        $implement!(8: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4, G SG TG 5, H SH TH 6, I SI TI 7);
        $implement!(9: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4, G SG TG 5, H SH TH 6, I SI TI 7, J SJ TJ 8);
        $implement!(10: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4, G SG TG 5, H SH TH 6, I SI TI 7, J SJ TJ 8, K SK TK 9);
        $implement!(11: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4, G SG TG 5, H SH TH 6, I SI TI 7, J SJ TJ 8, K SK TK 9, L SL TL 10);
        $implement!(12: A SA TA 0, B SB TB 1, C SC TC 2, D SD TD 3, F SF TF 4, G SG TG 5, H SH TH 6, I SI TI 7, J SJ TJ 8, K SK TK 9, L SL TL 10, M SM TM 11);
    };
}
