//! The hot flows, their streams and futures are as sendable as their values.

use std::cell::Cell;
use std::fmt::Debug;
use std::rc::Rc;

use coldflow::hot::{EmitShared, MapState, MapStateStream, SharedFlowStream, StateFlowStream, Subscription};
use coldflow::{MutableSharedFlow, MutableStateFlow, SharedFlow, StateFlow, SubscriptionCount};
use static_assertions::{assert_impl_all, assert_not_impl_any};

assert_impl_all!(MutableSharedFlow<u8>: Send, Sync, Unpin, Debug, Clone);
assert_impl_all!(SharedFlow<u8>: Send, Sync, Unpin, Debug, Clone);
assert_impl_all!(SharedFlowStream<u8>: Send, Sync, Unpin, Debug);
assert_impl_all!(Subscription<SharedFlowStream<u8>>: Send, Sync, Unpin, Debug);
assert_impl_all!(EmitShared<'static, u8>: Send, Sync, Debug);
assert_impl_all!(SubscriptionCount: Send, Sync, Unpin, Debug, Clone);
assert_impl_all!(MutableStateFlow<u8>: Send, Sync, Unpin, Debug, Clone);
assert_impl_all!(StateFlow<u8>: Send, Sync, Unpin, Debug, Clone);
assert_impl_all!(StateFlowStream<u8>: Send, Sync, Unpin, Debug);
assert_impl_all!(MapState<u8, fn(&u8) -> u8>: Send, Sync, Unpin, Debug, Clone);
assert_impl_all!(MapStateStream<u8, u8, fn(&u8) -> u8>: Send, Sync, Unpin, Debug);

// A value is read in many threads, so it has to be `Sync` as well.
assert_not_impl_any!(MutableSharedFlow<Rc<()>>: Send, Sync);
assert_not_impl_any!(MutableSharedFlow<Cell<u8>>: Send, Sync);
assert_not_impl_any!(SharedFlowStream<Cell<u8>>: Send, Sync);
assert_not_impl_any!(EmitShared<'static, Rc<()>>: Send, Sync);
assert_not_impl_any!(MutableStateFlow<Cell<u8>>: Send, Sync);
assert_not_impl_any!(StateFlowStream<Rc<()>>: Send, Sync);

// One emission, one subscription.
assert_not_impl_any!(EmitShared<'static, u8>: Clone);
assert_not_impl_any!(Subscription<SharedFlowStream<u8>>: Clone);
