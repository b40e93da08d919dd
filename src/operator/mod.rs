//! What stands between a source and a terminal.

mod and_then;
#[cfg(feature = "std")]
mod buffer;
mod catch;
mod chain;
mod chunks;
#[cfg(feature = "std")]
mod combine;
mod dematerialize;
mod distinct_until_changed_by;
mod enumerate;
mod filter;
mod filter_map;
mod flat_map_concat;
#[cfg(feature = "std")]
mod flat_map_merge;
#[cfg(feature = "rt")]
mod flow_on;
mod inspect;
#[cfg(feature = "std")]
mod latest;
mod map;
mod map_err;
mod map_to_result;
mod materialize;
#[cfg(feature = "std")]
mod merge;
mod on_cancel;
mod on_completion;
mod on_each;
mod on_empty;
mod on_start;
mod pairwise;
#[cfg(feature = "std")]
mod race;
mod repeat;
mod running_fold;
mod running_reduce;
mod skip;
mod skip_while;
mod take;
mod take_until;
mod take_while;
mod then;
#[cfg(feature = "std")]
mod then_concurrent;
mod transform;
mod try_map;
#[cfg(feature = "std")]
mod with_latest_from;
mod zip;

pub use and_then::{AndThen, AndThenStream};
#[cfg(feature = "std")]
pub use buffer::{Buffer, BufferStream};
pub use catch::{Catch, CatchStream};
pub use chain::{Chain, ChainStream};
pub use chunks::{Chunks, ChunksStream};
#[cfg(feature = "std")]
pub use combine::{
    Combinable, Combine, CombineStream, CombinedStreams, Latch, RestartCombined, combine, combine_latest,
};
pub use dematerialize::{Dematerialize, DematerializeStream};
pub use distinct_until_changed_by::{
    DistinctUntilChangedBy, DistinctUntilChangedByStream, Equality, Itself, KeyOf, SameKey,
};
pub use enumerate::{Enumerate, EnumerateStream};
pub use filter::{Filter, FilterStream};
pub use filter_map::{FilterMap, FilterMapStream};
pub use flat_map_concat::{FlatMapConcat, FlatMapConcatStream};
#[cfg(feature = "std")]
pub use flat_map_merge::{FlatMapMerge, FlatMapMergeStream};
#[cfg(feature = "rt")]
pub use flow_on::{FlowOn, OnHandle, Spawned};
pub use inspect::{Inspect, InspectStream};
#[cfg(feature = "std")]
pub use latest::{
    BodyBlock, BodyBlockStream, FlowBlock, FutureBlock, FutureBlockStream, Latest, LatestStream, MakeBlock,
};
pub use map::{Map, MapStream};
pub use map_err::{MapErr, MapErrStream};
pub use map_to_result::{MapToResult, MapToResultStream};
pub use materialize::{Event, Materialize, MaterializeStream};
#[cfg(feature = "std")]
pub use merge::{Merge, MergeStream, merge};
pub use on_cancel::{OnCancel, OnCancelStream};
pub use on_completion::{OnCompletion, OnCompletionStream};
pub use on_each::{OnEach, OnEachStream};
pub use on_empty::{OnEmpty, OnEmptyStream};
pub use on_start::{OnStart, OnStartStream};
pub use pairwise::{Pairwise, PairwiseStream};
#[cfg(feature = "std")]
pub use race::{Race, RaceStream, race};
pub use repeat::{Repeat, RepeatStream};
pub use running_fold::{RunningFold, RunningFoldStream};
pub use running_reduce::{RunningReduce, RunningReduceStream};
pub use skip::{Skip, SkipStream};
pub use skip_while::{SkipWhile, SkipWhileStream};
pub use take::{Take, TakeStream};
pub use take_until::{TakeUntil, TakeUntilStream};
pub use take_while::{TakeWhile, TakeWhileStream};
pub use then::{Then, ThenStream};
#[cfg(feature = "std")]
pub use then_concurrent::{ThenConcurrent, ThenConcurrentStream};
pub use transform::{Transform, TransformStream};
pub use try_map::{TryMap, TryMapStream};
#[cfg(feature = "std")]
pub use with_latest_from::{WithLatestFrom, WithLatestFromStream};
pub use zip::{Zip, ZipStream};
