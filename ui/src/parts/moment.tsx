import { formatExact } from "../language/format.ts";

/** A time with its full stamp on hover. @param iso ISO 8601 */
export function Moment({ iso, format }: { iso: string; format: (iso: string) => string }) {
  return (
    <time dateTime={iso} title={formatExact(iso)}>
      {format(iso)}
    </time>
  );
}
