import { boundBodyTime } from "@holdfast/http-server";
import type { Request, RequestHandler } from "express";

/** Bounds how long a form may take to arrive; an upload gets more time once its sender is known. */
export const boundFormTime: RequestHandler = (request, _response, next) => {
  boundBodyTime(request, FORM_MS_MAX, () => request.destroy());
  next();
};

/** Extends the time for the file of a person who is signed in. */
export function giveTimeForFile(request: Request): void {
  boundBodyTime(request, FILE_MS_MAX, () => request.destroy());
}

const FORM_MS_MAX = 14_000;
/** The bound of the listener itself. */
export const FILE_MS_MAX = 600_000;
