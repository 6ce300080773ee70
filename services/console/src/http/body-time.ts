import type { RequestHandler, Response } from "express";

/** Bounds how long a body may take to arrive; an upload gets more time once its sender is known. */
export const boundBodyTime: RequestHandler = (_request, response, next) => {
  setBodyTime(response, FORM_MS_MAX);
  next();
};

/** Extends the time for the file of a person who is signed in. */
export function giveTimeForFile(response: Response): void {
  setBodyTime(response, FILE_MS_MAX);
}

function setBodyTime(response: Response, timeoutMs: number): void {
  clearTimeout(response.locals["bodyTimer"] as NodeJS.Timeout | undefined);
  const timer = setTimeout(() => {
    if (!response.req.complete) response.req.destroy();
  }, timeoutMs);
  response.locals["bodyTimer"] = timer;
  response.once("close", () => clearTimeout(timer));
}

const FORM_MS_MAX = 14_000;
/** The bound of the listener itself. */
export const FILE_MS_MAX = 600_000;
