/** JSON on several lines where it is JSON; a cut-off one stays as it is. */
export function readable(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
