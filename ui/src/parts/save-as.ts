/** Hands a file to the browser's downloads. */
export function saveAs(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has the file by then; a revocation in the same task would take it away.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
