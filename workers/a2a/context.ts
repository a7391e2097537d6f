/** Names of contexts. No I/O. */

/** The context that is the agent's own lasting conversation. */
export const OWN_CONVERSATION = "conversation";

/** Ours and those that clients think of. */
export const CONTEXT_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
