//! Tables as programs meet them: the right value, whichever way it is asked for; and
//! whatever has happened to the files, that or an error.

mod bounds;
mod damage;
mod forgeries;
mod sharing;
mod values;
mod verifying;
