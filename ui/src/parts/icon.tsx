/** Line icons on a 24 by 24 grid, drawn in the text's colour; they always stand beside words or a label. */
const PATHS = {
  talk: "M4 5h16v11H9l-5 4z",
  board: "M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v12h-4z",
  team: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 19c.6-3 2.7-5 5.500-5s4.900 2 5.500 5M16 11a2.500 2.500 0 1 0 0-5M16.500 14c2.500 0 4.300 1.800 5 5",
  chart: "M4 20V4M4 20h16M8 16v-4M12 16V7M16 16v-6",
  lines: "M5 6h14M5 10h14M5 14h9M5 18h6",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  check: "M5 12.500l4.500 4.500L19 7",
  cross: "M6 6l12 12M18 6L6 18",
  bang: "M12 5v9M12 18.500v.01",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.500 2",
  stop: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM5.700 5.700l12.600 12.600",
  swap: "M4 9h14l-4-4M20 15H6l4 4",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500L20 20",
  day: "M5 6h14v14H5zM5 10h14M9 3v4M15 3v4",
  up: "M12 19V6M6 11l6-6 6 6",
  down: "M12 5v13M6 13l6 6 6-6",
  link: "M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1",
  chain: "M6 4v16M6 8h6M6 14h6M14.500 8h4M14.500 14h4",
  save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  plus: "M12 5v14M5 12h14",
  back: "M19 12H6M11 6l-6 6 6 6",
  filter: "M4 6h16M7 12h10M10 18h4",
  keys: "M3 7h18v11H3zM7 11h.01M12 11h.01M17 11h.01M8 14.500h8",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
