import { z } from "zod";
import { cardNumberFree, isMadeOfCardNumber } from "./card-number.ts";

/**
 * A file's name as people see it: without control and other invisible characters, and of bounded length.
 *
 * @returns undefined for a name with a card number in it.
 */
export function shownFileName(name: string): string | undefined {
  const shown = name.replaceAll(/\p{C}/gu, "").slice(0, FILE_NAME_MAX).toWellFormed() || "file";
  return isMadeOfCardNumber(shown) ? undefined : shown;
}

const FILE_NAME_MAX = 200;

/** A file's name on the bus. */
export const fileNameSchema = z.string().min(1).max(FILE_NAME_MAX).check(cardNumberFree);
