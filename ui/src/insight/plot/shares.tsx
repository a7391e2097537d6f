/** One bar of several parts, as wide as they are of the whole. */
import { type Look, useFills } from "./look.tsx";

interface SharesProps {
  readonly parts: readonly { readonly key: string; readonly value: number; readonly look: Look }[];
  readonly whole: number;
  readonly tall?: boolean;
}

const WIDTH = 1_000;
const HEIGHT = 12;

/** The patterns keep their size however wide the bar gets: parts are elements, each with a drawing of its own. */
export function Shares({ parts, whole, tall = false }: SharesProps) {
  const { defs, fillOf } = useFills(parts.map(({ look }) => look));
  return (
    <span class={tall ? "shares shares-tall" : "shares"} aria-hidden="true">
      <svg width="0" height="0" class="shares-defs" aria-hidden="true">
        {defs}
      </svg>
      {parts.map(({ key, value }, index) =>
        value === 0 || whole === 0 ? null : (
          <svg key={key} aria-hidden="true" style={{ flexBasis: `${(value / whole) * 100}%` }}>
            <rect width={WIDTH * 4} height={HEIGHT * 4} fill={fillOf(index)} />
          </svg>
        ),
      )}
    </span>
  );
}
