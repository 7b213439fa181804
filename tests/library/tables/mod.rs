//! Tables as programs use them: every look-up gives the right value, or an error if the files
//! are damaged.

mod bounds;
mod copies;
mod damage;
mod deciding;
mod forgeries;
mod later;
mod sharing;
mod stopped;
mod values;
