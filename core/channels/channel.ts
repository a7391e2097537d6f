/** What it takes to tell a person something over a channel of the instance. */
import type { OpenChannel } from "../config/channels.ts";
import type { GuardedFetch } from "../outbound/guarded-fetch.ts";

export interface ChannelMessage {
  readonly title?: string;
  readonly text: string;
}

/** What came of one attempt; `reason` is a sentence without addresses and secrets. */
export type Delivery =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /**
       * `refused`: the other side will never take it; `busy`: it asks to come again; `unknown`: it may have
       * taken it, nothing more can be said.
       */
      readonly code: "no_such_channel" | "not_configured" | "refused" | "busy" | "unknown";
      readonly reason: string;
      /** Seconds that the other side asked to wait; missing when it did not. */
      readonly retryAfter?: number;
    };

export interface Attempt<Type extends OpenChannel["type"]> {
  readonly channel: Extract<OpenChannel, { type: Type }>;
  /** Masked already. */
  readonly message: ChannelMessage;
  /** The same for each attempt to deliver the same message. */
  readonly deliveryId: string;
  readonly fetch: GuardedFetch;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Channels that speak a protocol of their own, handed in by the Worker. None rejects. */
export interface ChannelTransports {
  telegram(attempt: Attempt<"telegram">): Promise<Delivery>;
  email(attempt: Attempt<"email">): Promise<Delivery>;
}
