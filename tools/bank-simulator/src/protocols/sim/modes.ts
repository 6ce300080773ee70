import { z } from "zod";

export const repetitionNames = ["replay", "refuses_second_success", "none"] as const;

export const challengeNames = ["form", "page"] as const;
export const returnNames = ["bare", "proven"] as const;

/** The modes, which a setting gives at the start and `PUT /modes` changes while it runs. */
export const modesSchema = z.object({
  /** True if a reversal binds a reference that has no operation. */
  bindsUnseen: z.boolean(),
  /**
   * The treatment of a repetition. `replay`: it gets the first outcome. `refuses_second_success`: it is
   * refused after an approval, and judged again otherwise. `none`: it is always judged again.
   */
  repetition: z.enum(repetitionNames),
  /** The form of a challenge: an address with the fields of a form, or a page of the bank's own. */
  challenge: z.enum(challengeNames),
  /**
   * The fields that a browser brings back from a challenge: the session alone, which proves nothing, or with it a proof
   * that the cardholder has answered; then a completion has to bring the proof.
   */
  returns: z.enum(returnNames),
});
export type Modes = z.output<typeof modesSchema>;

/** Kindnesses of this bank that others do not have. */
export type Habits = Pick<Modes, "bindsUnseen" | "repetition">;

export const defaultModes: Modes = {
  bindsUnseen: true,
  repetition: "replay",
  challenge: "form",
  returns: "bare",
};
