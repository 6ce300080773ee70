import { html, type Html } from "@holdfast/html";
import { OperatorApiProblemError } from "../api/operator-api.ts";
import type { Reader } from "./page-context.ts";

/**
 * The answer of a service without which a page still shows the rest. It is undefined while the service is
 * unreachable, or if the installation has none.
 * @throws any other failure
 */
export async function unlessAway<Answer>(reading: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await reading;
  } catch (error) {
    const isAway = error instanceof OperatorApiProblemError && [404, 503].includes(error.problem.status);
    if (!isAway) throw error;
    return undefined;
  }
}

/**
 * The sentence in place of a part that could not be read; empty if it was read. @param name the missing
 * part's name.
 */
export function awayNote({ texts }: Reader, name: string, answer: unknown): Html {
  return answer === undefined ? html`<p class="quiet">${texts.partAway(name)}</p>` : html``;
}
