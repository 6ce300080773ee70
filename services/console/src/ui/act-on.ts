import type { PageAnswer, PageContext } from "./page-context.ts";
import { takeAction, type ActionRequest, type RenderAgain } from "./take-action.ts";

/** An action on a record, whose own page shows the result by default. */
type OwnAction = Omit<ActionRequest, "path" | "page"> & Partial<Pick<ActionRequest, "page">>;

/**
 * Makes the function that carries out the actions on a kind of thing.
 *
 * @param kind.list the path that their pages are below. @param kind.id the name of their id, in the page's
 * path and the API's.
 */
export function actOn(
  { list, id }: { list: string; id: string },
  renderAgain: RenderAgain,
): (context: PageContext, request: OwnAction) => Promise<PageAnswer> {
  return async (context, request) => {
    const value = context.parameters[id]!;
    const page = `${list}/${encodeURIComponent(value)}`;
    return await takeAction(context, { page, ...request, path: { [id]: value } }, renderAgain);
  };
}
