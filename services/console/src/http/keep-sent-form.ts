import type { Request } from "express";
import { isMultipart } from "@holdfast/http-server";
import { pageIn, personOf } from "../session/form-token.ts";
import { forgetForm, keepForm, readForm } from "../session/kept-forms.ts";
import type { Session } from "../session/session.ts";
import { withoutNotice, type Notice, type Reader } from "../ui/page-context.ts";
import type { SessionStore } from "./current-session.ts";
import { queryOf } from "./query-of.ts";
import { isSaidSameOrigin } from "./same-origin.ts";

export type KeepingDeps = { store: SessionStore; origin: string };

/**
 * Keeps a form that was sent without a session, or with another session's token, and was not carried out.
 * After the sign-in its person gets the form back on its page and presses its button again.
 *
 * Only our own pages may store text in this way. A request of another site comes without the session's cookie
 * (`SameSite=Lax`), and so looks like a form whose session has ended. Two checks tell them apart, and both
 * have to pass. The browser says that a page of this origin sent it (`Origin`, `Sec-Fetch-Site`). The form
 * names the person whom its page was made for, sealed under the console's key, which no other site can write.
 * Only that person gets it back, not a person who sends somebody else's form.
 *
 * @param by the person who sends it; undefined if nobody is signed in.
 * @returns the address of the form's page that gives it back; undefined for any other form, which is not
 * kept.
 */
export async function keepSentForm(
  { store, origin }: KeepingDeps,
  request: Request,
  { form, by }: { form: URLSearchParams; by?: Session },
): Promise<string | undefined> {
  const made = pageIn(store.keys, form.get("formToken") ?? "");
  if (!made || !isSaidSameOrigin(request.headers, origin)) return undefined;
  if (by && !personOf(by).equals(made.person)) return undefined;
  return await addressWithForm(store, request, { form, ...made });
}

/** A form, the person who sent it, and the mode of the page that it was on. */
type SentForm = { form: URLSearchParams; person: Buffer; isTest: boolean; wasWhole?: boolean };

/**
 * Keeps a form whose sender is known. @returns the address of its page that gives it back, or says why it
 * does not.
 */
export async function addressWithForm(
  store: SessionStore,
  request: Request,
  { form, person, isTest, wasWhole = true }: SentForm,
): Promise<string> {
  // A file is not kept.
  const isWhole = wasWhole && !isMultipart(request.headers["content-type"]);
  const id = await keepForm(store, { person, page: pageOf(request) }, form, isWhole);
  return addressOf(request, id ?? NOT_KEPT, isTest);
}

/** The page of a form with a file, which is neither read from somebody unknown nor kept; undefined for another form. */
export function addressWithoutFile({ origin }: KeepingDeps, request: Request): string | undefined {
  const isOurs = isMultipart(request.headers["content-type"]) && isSaidSameOrigin(request.headers, origin);
  return isOurs ? addressOf(request, NOT_KEPT) : undefined;
}

/** The form's page with its query, which says what is given back, and the mode that the page had where it is known. */
function addressOf(request: Request, kept: string, isTest?: boolean): string {
  const query = new URLSearchParams({ kept });
  if (isTest !== undefined) query.set("livemode", `${!isTest}`);
  for (const [name, value] of withoutNotice(queryOf(request)))
    if (name !== "livemode" || isTest === undefined) query.append(name, value);
  return `${pageOf(request)}?${query.toString()}`.slice(0, ADDRESS_MAX);
}

/** No id of a form is this short. */
const NOT_KEPT = "none";
/** The longest address that a sign-in leads back to. */
export const ADDRESS_MAX = 800;

/** The path of the page, or of the page that a form is on: the form leads to a path below it. */
export function pageOf({ method, path }: Pick<Request, "method" | "path">): string {
  if (method === "GET") return path;
  const parts = path.split("/");
  return parts.length > 2 ? parts.slice(0, -1).join("/") : "/";
}

/** The form that a page shows again, and the page's notice about it. */
export type GivenBack = {
  form: URLSearchParams;
  isWhole: boolean;
  notice: Notice;
  /** Called once its page is there: a page that fails can be opened again. */
  forget: () => Promise<void>;
};

/** Gives the form back that the page's address names, if it is kept for this person and page. */
export async function takeBack(
  store: SessionStore,
  request: Request,
  { reader, session }: { reader: Reader; session: Session },
): Promise<GivenBack | undefined> {
  const id = request.method === "GET" ? queryOf(request).get("kept") : null;
  if (id === null) return undefined;
  const { texts } = reader;
  const lost = (text: string): GivenBack => ({
    form: new URLSearchParams(),
    isWhole: true,
    notice: { role: "alert", title: texts.formLostTitle, text },
    forget: () => Promise.resolve(),
  });
  if (id === NOT_KEPT) return lost(texts.formNotKept);
  const place = { person: personOf(session), page: pageOf(request) };
  const kept = await readForm(store, place, id);
  if (!kept) return lost(texts.formGone);
  const text = kept.isWhole ? texts.formBack : `${texts.formBack} ${texts.formBackInPart}`;
  const notice = { role: "alert", title: texts.formBackTitle, text } as const;
  return { ...kept, notice, forget: () => forgetForm(store, place, id) };
}
