import type { Html, Language } from "@holdfast/html";
import type { Download, MediaType, OperatorApi } from "../operator-api/operator-api.ts";
import type { ArrivingFile } from "../operator-api/form-with-file.ts";
import type { Session } from "../session/session.ts";
import type { Texts } from "./texts.ts";

/** How a page is written for its reader. */
export type Reader = { language: Language; locale: string; texts: Texts };

/** What a page knows of its request. Everything in `query` and `form` is whatever somebody sent. */
export type PageContext = {
  session: Session;
  reader: Reader;
  api: OperatorApi;
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Of a POST. */
  form: URLSearchParams;
  /** Of a POST that takes one, behind its fields. */
  file: ArrivingFile | undefined;
  formToken: string;
  /** Whether the sign-in is young enough for a decision about money. */
  mayDecide: boolean;
  now: Date;
  /** Of an Idempotency-Key for a form on this page. */
  generateKey: () => string;
};

/** What a request is answered with. */
export type PageAnswer =
  | { kind: "page"; status?: number; title: string; content: Html; notice?: Notice | undefined }
  | { kind: "redirect"; to: string }
  | FileAnswer;

/** What the gateway sends goes on as it arrives: saved under a name, or shown where it has none. */
export type FileAnswer = Download & { kind: "file"; mediaType: MediaType; fileName?: string };

/** What was done, or what was not and why. */
export type Notice = { role: "status" | "alert"; title: string; text?: string | undefined; link?: Html };

export type Page = {
  /** Who it is for: operators alone, where nothing is said. */
  audience?: "operators" | "everybody" | "staff";
  method: "GET" | "POST";
  path: string;
  /** Of a POST whose answer has a secret that is shown once: the second click of a double click gets the same answer. */
  showsSecret?: boolean;
  /** Of a POST whose form brings a file. */
  takesFile?: boolean;
  answer(context: PageContext): Promise<PageAnswer>;
};
