/** Webhooks of an agent: who may wake it from outside, and with which words. */
import { z } from "zod";
import { templateFaults } from "../hooks/template.ts";
import { givenName, MAX_NAMED_ENTRIES } from "./instance.ts";
import { secretRef } from "./secrets.ts";

const MAX_TEMPLATE_CHARS = 20_000;

const templateSchema = z
  .string()
  .min(1)
  .max(MAX_TEMPLATE_CHARS)
  .superRefine((template, context) => {
    for (const message of templateFaults(template)) context.addIssue({ code: "custom", message });
  });

const webhookSchema = z.strictObject({
  /** The last part of its address. */
  name: givenName,
  /** What its calls are signed with. */
  secret: secretRef,
  /** Takes signatures over the body alone too, for senders that cannot do better. */
  bodyOnly: z.boolean().default(false),
  /** Missing: the whole body with a sentence before it. */
  template: templateSchema.exactOptional(),
  /** An isolated run instead of a turn in the conversation. */
  stateless: z.boolean().default(false),
  enabled: z.boolean().default(true),
});

export type Webhook = z.infer<typeof webhookSchema>;

export const webhooksSchema = z
  .array(webhookSchema)
  .max(MAX_NAMED_ENTRIES)
  .superRefine((webhooks, context) => {
    const names = webhooks.map(({ name }) => name);
    names.forEach((name, index) => {
      if (names.indexOf(name) === index) return;
      context.addIssue({ code: "custom", path: [index, "name"], message: "A second webhook of this name" });
    });
  });
