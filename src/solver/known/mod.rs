//! The byte for each position while its layer is solved, and news of settled positions.
//!
//! * `cells`: codes of positions, in bytes or in halves of bytes;
//! * `results`: a position with bounds, between two thresholds;
//! * `value_codes`: a position with a value;
//! * `large_losses`: captures that a byte has no room for;
//! * `news`: settled positions on their way to predecessors;
//! * `packed_news`: rows of news in few bytes;
//! * `search`: finding the bytes of a row that matter;
//! * `status`: a position with bounds, while a threshold is decided.

pub(crate) mod cells;
pub(crate) mod large_losses;
pub(crate) mod news;
pub(crate) mod packed_news;
pub(crate) mod results;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod value_codes;

pub(crate) use cells::{Cells, Half, Whole};
pub use large_losses::LargeLosses;
pub(crate) use large_losses::ListedCaptures;
pub(crate) use news::{Effect, News, NewsPlace, NewsRow, NewsRows};
pub(crate) use packed_news::{read_list, write_list};
pub(crate) use results::{Interval, ResultCodes, ResultRow, Results};
pub(crate) use search::{change_where, for_each_within};
pub(crate) use status::{PLANES, Plane, State, Status, lost_effects, reached_effects};
pub(crate) use value_codes::ValueCodes;
