//! Microbenchmarks of the library, apart from the packages that the tests compile.
