import { z } from "zod";

import { invalid } from "./operation-request.ts";
import type { Parsed } from "./read-request.ts";

export const repetitionNames = ["replay", "refuses_second_success", "none"] as const;

export const challengeNames = ["form", "page"] as const;
export const returnNames = ["bare", "proven"] as const;

/** Kindnesses of this bank that others do not have, and that can be switched off while it runs. */
export type Habits = {
  /** True if a reversal binds a reference that has no operation. */
  bindsUnseen: boolean;
  /**
   * The treatment of a repeat: it is answered with the first outcome (`replay`), refused where that was an approval and
   * judged again where it was not (`refuses_second_success`), or judged again in any case (`none`).
   */
  repetition: (typeof repetitionNames)[number];
};

/** All modes that can be changed while it runs. */
export type Modes = Habits & {
  /** The form of a challenge: an address with the fields of a form, or a page of the bank's own. */
  challenge: (typeof challengeNames)[number];
  /**
   * The fields that a browser brings back from a challenge: the session alone, which proves nothing, or with it a proof
   * that the cardholder has answered; then a completion has to bring the proof.
   */
  returns: (typeof returnNames)[number];
};

/** Checks the body of `PUT /modes`. A mode that it does not name stays as it is. */
export function parseModes(body: unknown): Parsed<Partial<Modes>> {
  const parsed = modesBody.safeParse(body);
  if (!parsed.success) return invalid(parsed.error);
  const { bindsUnseen, repetition, challenge, returns } = parsed.data;
  return {
    kind: "valid",
    request: {
      ...(bindsUnseen !== undefined && { bindsUnseen }),
      ...(repetition && { repetition }),
      ...(challenge && { challenge }),
      ...(returns && { returns }),
    },
  };
}

const modesBody = z.object({
  bindsUnseen: z.boolean().optional(),
  repetition: z.enum(repetitionNames).optional(),
  challenge: z.enum(challengeNames).optional(),
  returns: z.enum(returnNames).optional(),
});
