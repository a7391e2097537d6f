/** What a model call cost. Prices are bundled, nothing is fetched; an unknown price stays unknown. */
import { calcPrice } from "@pydantic/genai-prices";
import type { Usage } from "./types.ts";

/** US dollars per million tokens, which is micro-dollars per token. */
export interface OwnPrice {
  readonly inputPerMTok: number;
  /** Default: as `inputPerMTok`. */
  readonly cachedInputPerMTok?: number | undefined;
  readonly outputPerMTok: number;
}

export interface PriceInput {
  /** `openai`, `workers-ai` or `scripted`. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string | null;
  readonly usage: Usage | null;
  /** From the agent's config; wins over the table, also when it is zero. */
  readonly ownPrice: OwnPrice | null;
}

export interface Price {
  /** Whole micro-dollars; null is unknown, which is not 0. */
  readonly costMicros: number | null;
  /** Where the price is from: `config`, the table with its version, or null. */
  readonly source: string | null;
}

const TABLE = "genai-prices@0.1.8";
const UNKNOWN: Price = { costMicros: null, source: null };

/**
 * Prices single model calls; never throws. `now` (milliseconds since the epoch) chooses among prices that
 * changed over time; without it the table takes the present.
 */
export function createPricer(now?: () => number): (input: PriceInput) => Price {
  return ({ usage, ownPrice, ...call }) => {
    if (usage === null) return UNKNOWN;
    // A provider may report more cached tokens than input; the table would throw, our own sum go negative.
    const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
    if (ownPrice !== null) return { costMicros: ownCost(usage, cached, ownPrice), source: "config" };
    const costMicros = tableCost(usage, cached, { ...call, now });
    return costMicros === null ? UNKNOWN : { costMicros, source: TABLE };
  };
}

/** Reasoning tokens are part of the output tokens, in our counts as in the table's. */
function ownCost(usage: Usage, cached: number, price: OwnPrice): number {
  const cachedPrice = price.cachedInputPerMTok ?? price.inputPerMTok;
  const input = (usage.inputTokens - cached) * price.inputPerMTok + cached * cachedPrice;
  return Math.round(input + usage.outputTokens * price.outputPerMTok);
}

interface TableCall {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string | null;
  readonly now: (() => number) | undefined;
}

function tableCost(usage: Usage, cached: number, call: TableCall): number | null {
  const sale = saleOf(call);
  if (sale === null) return null;
  const { model, ...seller } = sale;
  const tokens = {
    input_tokens: usage.inputTokens,
    cache_read_tokens: cached,
    output_tokens: usage.outputTokens,
  };
  const when = call.now === undefined ? {} : { timestamp: new Date(call.now()) };
  try {
    const price = calcPrice(tokens, model, { ...seller, ...when });
    return price === null ? null : Math.round(price.total_price * 1_000_000);
  } catch {
    return null;
  }
}

interface Sale {
  readonly model: string;
  readonly providerId?: string;
  readonly providerApiUrl?: string;
}

/** Who sells the model: the same name has another price elsewhere, and none at all on one's own machine. */
function saleOf({ provider, model, baseUrl }: TableCall): Sale | null {
  if (provider === "workers-ai") return { model, providerId: "cloudflare" };
  if (provider !== "openai") return null;
  if (baseUrl === null) return { model, providerId: "openai" };
  return gatewaySale(model, baseUrl) ?? { model, providerApiUrl: baseUrl };
}

/** AI Gateway names the seller in its path or, behind `compat`, in the model's name; the table names some otherwise. */
const GATEWAY_SELLERS: Readonly<Record<string, string>> = {
  "workers-ai": "cloudflare",
  "google-ai-studio": "google",
  grok: "x-ai",
};

function gatewaySale(model: string, baseUrl: string): Sale | null {
  const path = /^https:\/\/gateway\.ai\.cloudflare\.com\/v1\/[^/]+\/[^/]+\/([^/?#]+)/.exec(baseUrl)?.[1];
  if (path === undefined) return null;
  const [, prefix = "", rest = ""] =
    path === "compat" ? (/^([^/]+)\/(.+)$/.exec(model) ?? []) : ["", path, model];
  return { model: rest, providerId: GATEWAY_SELLERS[prefix] ?? prefix };
}
