/**
 * Lines of equally wide columns.
 * @param rows lists of texts, the headings first
 * @param words so many columns hold words and stand to the left; the numbers after them stand to the right
 */
export function alignColumns(rows, words) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < words ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ")
      .trimEnd(),
  );
}
