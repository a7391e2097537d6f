/** What the Worker's code, of which the viewer takes the types, knows beyond a browser's globals. */
interface SubtleCrypto {
  timingSafeEqual(left: ArrayBuffer | ArrayBufferView, right: ArrayBuffer | ArrayBufferView): boolean;
}
