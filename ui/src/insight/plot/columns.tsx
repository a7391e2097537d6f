/**
 * Columns of stacked layers over steps. One step can be pointed at, or walked to with the arrow keys, and its
 * numbers are then told in words. To a screen reader it is a slider over the steps; the table beside it has them all.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Look, Swatch, useFills } from "./look.tsx";
import { labelEvery, ticksUpTo } from "./scale.ts";
import { useWidth } from "./use-width.ts";

export interface Layer {
  readonly name: string;
  /** The name as it is shown; `name` when absent. */
  readonly shown?: ComponentChildren;
  readonly look: Look;
  /** One for each step; null is unknown. */
  readonly values: readonly (number | null)[];
}

export interface Step {
  /** Under the column, and in words. */
  readonly short: string;
  readonly long: string;
}

interface ColumnsProps {
  readonly label: string;
  readonly steps: readonly Step[];
  readonly layers: readonly Layer[];
  readonly format: (value: number) => string;
  readonly tick: (value: number) => string;
  /** Says that nobody knows. */
  readonly unknown: string;
  /** What is told while no step is chosen. */
  readonly summary: string;
  /** What is told of a step besides its values. */
  readonly note?: (index: number) => string;
  readonly whole?: boolean;
  readonly nice?: readonly number[];
  /** What the axis goes up to at least. */
  readonly atLeast?: number;
}

const HEIGHT = 190;
const TOP = 10;
const BOTTOM = 24;
const MOST_TICKS = 5;
const ANY_DISTANCE = [1, 2, 3, 4, 6] as const;
const CHAR = 6.6;

export function Columns(props: ColumnsProps) {
  const { label, steps, layers } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const [chosen, choose] = useState<number | null>(null);
  const at = Math.min(chosen ?? steps.length - 1, steps.length - 1);
  return (
    <div class="plot">
      <p class="plot-readout" aria-hidden="true">
        {chosen === null ? props.summary : sentenceOf(props, at)}
      </p>
      <div
        ref={box}
        class="plot-area"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, steps.length - 1)}
        aria-valuenow={at}
        aria-valuetext={sentenceOf(props, at)}
        onKeyDown={(event) => {
          const next = stepFor(event.key, { at, isFirst: chosen === null, count: steps.length });
          if (next === null) return;
          event.preventDefault();
          choose(next);
        }}
        onBlur={() => choose(null)}
        onPointerMove={(event) => choose(pointed(props, { x: event.offsetX, width }))}
        onPointerDown={(event) => choose(pointed(props, { x: event.offsetX, width }))}
        onPointerLeave={() => choose(null)}
      >
        {width > 0 && <Drawing {...props} width={width} chosen={chosen} />}
      </div>
      {layers.length > 1 && <Legend layers={layers} />}
    </div>
  );
}

/** Of a stack its whole comes first. */
function sentenceOf({ steps, layers, format, unknown, note }: ColumnsProps, index: number): string {
  const values = layers.map(({ values: all }) => all[index] ?? null);
  const whole = values.reduce((sum: number, value) => sum + (value ?? 0), 0);
  const tell = (value: number | null) => (value === null ? unknown : format(value));
  const parts = layers.flatMap(({ name }, layer) => {
    const value = values[layer] ?? null;
    return value === 0 ? [] : [`${name} ${tell(value)}`];
  });
  const isUnknown = whole === 0 && values.includes(null);
  return [
    `${steps[index]?.long ?? ""}: ${isUnknown ? unknown : format(whole)}`,
    ...(layers.length > 1 ? parts : []),
    note?.(index) ?? "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

interface Place {
  readonly at: number;
  readonly isFirst: boolean;
  readonly count: number;
}

function stepFor(key: string, { at, isFirst, count }: Place): number | null {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const move = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key];
  if (move === undefined) return null;
  // The first key only shows where one is.
  return isFirst ? at : Math.max(0, Math.min(count - 1, at + move));
}

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly band: number;
  readonly ticks: readonly number[];
}

function frameOf({ steps, layers, tick, whole, atLeast = 0 }: ColumnsProps, width: number): Frame {
  const sums = steps.map((_, index) => layers.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const ticks = ticksUpTo(Math.max(atLeast, ...sums), MOST_TICKS, whole);
  const left = 10 + Math.ceil(Math.max(...ticks.map((each) => tick(each).length)) * CHAR);
  const right = width - 4;
  return { left, right, band: (right - left) / Math.max(1, steps.length), ticks };
}

function pointed(props: ColumnsProps, { x, width }: { x: number; width: number }): number {
  const { left, band } = frameOf(props, width);
  return Math.max(0, Math.min(props.steps.length - 1, Math.floor((x - left) / band)));
}

function Drawing(props: ColumnsProps & { width: number; chosen: number | null }) {
  const { steps, layers, tick, width, chosen, nice = ANY_DISTANCE } = props;
  const frame = frameOf(props, width);
  const { left, right, band, ticks } = frame;
  const { defs, fillOf } = useFills(layers.map(({ look }) => look));
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const longest = Math.max(...steps.map(({ short }) => short.length));
  const every = labelEvery(steps.length, { width: right - left, label: (longest + 1.5) * CHAR }, nice);
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      {defs}
      {chosen !== null && (
        <rect
          class="plot-chosen"
          x={left + chosen * band}
          y={TOP}
          width={band}
          height={HEIGHT - TOP - BOTTOM}
        />
      )}
      {ticks.map((value) => (
        <g key={value}>
          <line class="plot-line" x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text class="plot-text" x={left - 6} y={y(value) + 4} text-anchor="end">
            {tick(value)}
          </text>
        </g>
      ))}
      {steps.map(({ short }, index) => (
        <g key={index}>
          <Column {...{ frame, index, layers, y, fillOf }} />
          {index % every === 0 && (
            <text class="plot-text" x={labelX(frame, index, short)} y={HEIGHT - 7} text-anchor="middle">
              {short}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** The outermost labels stay inside. */
function labelX({ left, right, band }: Frame, index: number, text: string): number {
  const half = (text.length * CHAR) / 2;
  return Math.max(half, Math.min(right - half + 4, left + (index + 0.5) * band));
}

interface ColumnProps {
  readonly frame: Frame;
  readonly index: number;
  readonly layers: readonly Layer[];
  y(value: number): number;
  fillOf(layer: number): string;
}

const WIDEST = 44;

function Column({ frame: { left, band }, index, layers, y, fillOf }: ColumnProps) {
  const width = Math.max(1, Math.min(WIDEST, band * 0.74));
  const x = left + band * index + (band - width) / 2;
  let below = 0;
  const parts = layers.map(({ values }, layer) => {
    const value = values[index] ?? 0;
    const bottom = y(below);
    below += value;
    // What is there is seen, however little it is.
    const height = value === 0 ? 0 : Math.max(1.5, bottom - y(below));
    return height === 0 ? null : (
      <rect
        key={layer}
        x={x}
        y={bottom - height}
        width={width}
        height={height}
        fill={fillOf(layer)}
        class="plot-bar"
      />
    );
  });
  const isUnknown = layers.some(({ values }) => values[index] === null);
  return (
    <>
      {parts}
      {isUnknown && (
        <text class="plot-unknown" x={x + width / 2} y={y(below) - 4} text-anchor="middle">
          ?
        </text>
      )}
    </>
  );
}

export function Legend({ layers }: { layers: readonly Pick<Layer, "name" | "shown" | "look">[] }) {
  return (
    <ul class="plot-legend">
      {layers.map(({ name, shown, look }) => (
        <li key={name}>
          <Swatch look={look} />
          {shown ?? name}
        </li>
      ))}
    </ul>
  );
}
