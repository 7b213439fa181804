//! Tables of text.

/// Splits the row of a table at each `|`.
pub(super) fn cells(row: &str) -> Vec<String> {
    row.split('|').map(String::from).collect()
}

/// Writes the rows of a table as lines. All columns but the last are aligned to the right.
pub(super) fn aligned(rows: &[Vec<String>]) -> impl Iterator<Item = String> {
    let length = |cell: &String| cell.chars().count();
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(row.len(), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = length(cell).max(*width);
        }
    }
    widths.pop();
    rows.iter().map(move |row| {
        let widths = widths.iter().copied().chain([0]);
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:>width$}  "));
        cells.collect::<String>().trim_end().to_string() + "\n"
    })
}
