import type { IncomingHttpHeaders } from "node:http";
import { browserSchema, COLOR_DEPTHS, type Browser } from "@holdfast/contracts";

/**
 * The browser that submits a checkout's form, in the terms of EMV 3-D Secure: its headers, and the fields
 * that the page's script has added to the form. Only the bank reads it, so nothing in it is ever a fault:
 * missing values are left out, and a browser that does not identify itself is left out completely.
 */
export function readBrowser(headers: IncomingHttpHeaders, form: URLSearchParams): Browser | undefined {
  const seen = /^(\d{1,2}),(\d{1,6}),(\d{1,6}),(-?\d{1,3})$/.exec(form.get("browser") ?? "");
  const read = browserSchema.safeParse({
    // The page's script asks for an answer in JSON; of a page the browser would ask like this.
    browserAcceptHeader: headers.accept === "application/json" ? "text/html,*/*;q=0.8" : headers.accept,
    browserUserAgent: headers["user-agent"],
    browserLanguage: headers["accept-language"]?.split(/[,;]/)[0]?.trim(),
    browserJavascriptEnabled: seen !== null,
    ...(seen && {
      // The HTML standard fixes this value for every browser.
      browserJavaEnabled: false,
      browserColorDepth: COLOR_DEPTHS.findLast((depth) => Number(depth) <= Number(seen[1])),
      browserScreenHeight: seen[2],
      browserScreenWidth: seen[3],
      browserTZ: seen[4],
    }),
    // The challenge is shown in the whole window.
    challengeWindowSize: "05",
  });
  return read.success ? read.data : undefined;
}
