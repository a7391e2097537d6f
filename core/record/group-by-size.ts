/** Groups of at most `maxChars` together, in order, so that their texts fit into memory; a single row over that is a group of its own. */
export function groupBySize<Row extends { readonly chars: number }>(
  rows: readonly Row[],
  maxChars: number,
): Row[][] {
  const groups: { chars: number; rows: Row[] }[] = [];
  for (const row of rows) {
    const open = groups.at(-1);
    if (open !== undefined && open.chars + row.chars <= maxChars) {
      open.rows.push(row);
      open.chars += row.chars;
    } else groups.push({ chars: row.chars, rows: [row] });
  }
  return groups.map((group) => group.rows);
}
