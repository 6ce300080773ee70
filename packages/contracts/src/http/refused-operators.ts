import { z } from "zod";

/** An operator and a person of a merchant's staff may have the same `sub`. */
export const personKindSchema = z.enum(["operator", "staff"]).optional().meta({
  description: "Whether an operator or a person of a merchant's staff is meant; both if absent",
});

/** A person whose tokens are refused although the identity provider issues them. */
export const refusedOperatorSchema = z
  .object({
    subject: z.string().meta({ description: "The `sub` of the person's tokens" }),
    kind: personKindSchema,
    reason: z.string().meta({ description: "Why, in words of whoever refused the person" }),
    refusedBy: z.string().meta({ description: "Operator who refused the person: the `sub` of the token" }),
    refusedAt: z.iso.datetime().meta({ description: "When (UTC)" }),
  })
  .meta({ id: "RefusedOperator" });

export type RefusedOperator = z.infer<typeof refusedOperatorSchema>;
