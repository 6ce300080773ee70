import { OperatorApiProblemError } from "../api/operator-api.ts";
import type { Notice, PageContext } from "./page-context.ts";
import { refusalNotice } from "./problem-text.ts";

export type ListPage<Row> = { items: Row[]; nextCursor?: string | undefined };

/** The reason why a list with invalid filters is empty. */
export type Refusal = { status: number; notice: Notice };

/**
 * A list with filters that were typed freely. If the gateway refuses them the list is empty, and the page can
 * say why above the filters and beside each.
 * @throws on any other failure
 */
export async function readList<Row>(
  context: PageContext,
  reading: Promise<ListPage<Row>>,
): Promise<ListPage<Row> & { refusal?: Refusal }> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof OperatorApiProblemError)) throw error;
    const { problem } = error;
    if (problem.status !== 400 && problem.status !== 404) throw error;
    return { items: [], refusal: { status: problem.status, notice: refusalNotice(context, problem) } };
  }
}

/** The filters of a list as its query has them, without those that are empty. */
export function filterOf<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = names.flatMap((name) => {
    const value = query.get(name)?.trim();
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}
