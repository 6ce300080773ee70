import type { Html, Language } from "@holdfast/html";
import type { Download, MediaType, OperatorApi } from "../api/operator-api.ts";
import type { ArrivingFile } from "../api/form-with-file.ts";
import type { Session } from "../session/session.ts";
import type { Texts } from "./texts.ts";

/** The language in which a page is written for its reader. */
export type Reader = { language: Language; locale: string; texts: Texts };

/** True if a page is about test mode; its query says so, whatever its address has. */
export function isTestMode(query: URLSearchParams): boolean {
  return query.get("livemode") === "false";
}

/**
 * The query without what is for one visit: the notice of a finished action with the way on, a form that is given back,
 * a body that is shown, and the selection of a whole list.
 */
export function withoutNotice(query: URLSearchParams | undefined): URLSearchParams {
  const rest = new URLSearchParams(query);
  for (const name of ["done", "count", "about", "after", "select", "show", "kept"]) rest.delete(name);
  return rest;
}

/** The mode of a page as a parameter of the API's lists. */
export function modeOf(query: URLSearchParams): string | undefined {
  return query.get("livemode") ?? undefined;
}

/** A fault of a field. Without a code its message is in the reader's language. */
export type FieldFault = {
  field: string;
  code?: string;
  message: string;
  /** Set once the page has it beside its field. */
  isShown?: true;
};

/** A page's knowledge of its request. `query` and `form` are unverified input. */
export type PageContext = {
  session: Session;
  reader: Reader;
  api: OperatorApi;
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The form of a POST, or one that was kept until its person had signed in. */
  form: URLSearchParams;
  /** The faults of the fields of what was refused: a form, or the filters of a list. */
  faults?: readonly FieldFault[];
  /** The file of a POST that takes one, after its fields. */
  file: ArrivingFile | undefined;
  formToken: string;
  /** True if the sign-in is recent enough for a decision about money. */
  mayDecide: boolean;
  now: Date;
  /** Keeps the form that was sent until its person has signed in again. @returns the address that gives it back. */
  keepForm: () => Promise<string>;
  /** The page's address once the form is kept. */
  keptAt?: string;
  /** Generates an Idempotency-Key for a form on this page. */
  generateKey: () => string;
};

/** The answer to a request. */
export type PageAnswer =
  | {
      kind: "page";
      status?: number;
      title: string;
      content: Html;
      notice?: Notice | undefined;
      /** True for a page about what was made in test mode. */
      isTest?: boolean | undefined;
    }
  | { kind: "redirect"; to: string }
  | FileAnswer;

/** The gateway's answer, passed on as it arrives: saved under a name, or shown if it has no name. */
export type FileAnswer = Download & { kind: "file"; mediaType: MediaType; fileName?: string };

/** The message that an action was done, or why it was not. */
export type Notice = { role: "status" | "alert"; title: string; text?: string | undefined; link?: Html };

export type Page = {
  /** The audience of the page: operators alone by default. */
  audience?: "operators" | "everybody" | "staff";
  method: "GET" | "POST";
  path: string;
  /**
   * True for a POST whose answer shows a secret once: the second click of a double click gets the same
   * answer.
   */
  showsSecret?: boolean;
  /** True for a POST whose form brings a file. */
  takesFile?: boolean;
  answer(context: PageContext): Promise<PageAnswer>;
};
