//! Characters of foreign text that a terminal would obey or hide.

/// Tells if a terminal may obey or hide a character instead of showing it: control and format
/// characters, such as marks for the direction of writing; separators other than the space; and
/// characters without a meaning in Unicode.
///
/// ```
/// use granero::notation::is_hidden;
///
/// assert!(['\u{1b}', '\u{202e}', '\u{200b}', '\u{2028}'].into_iter().all(is_hidden));
/// assert!(!"O'Neill, Ọ̀wẹ̀".contains(is_hidden));
/// ```
pub fn is_hidden(c: char) -> bool {
    // The standard library knows what cannot be printed. A combining mark can, after a letter.
    !c.is_ascii_graphic() && format!("a{c}").escape_debug().nth(1) != Some(c)
}

/// Escapes the characters of a text that a terminal would obey or hide, see [`is_hidden`].
///
/// ```
/// assert_eq!(granero::notation::visible("A\u{202e}\n"), r"A\u{202e}\n");
/// ```
pub fn visible(text: &str) -> String {
    let mut visible = String::new();
    for c in text.chars() {
        if is_hidden(c) {
            visible.extend(c.escape_debug());
        } else {
            visible.push(c);
        }
    }
    visible
}
