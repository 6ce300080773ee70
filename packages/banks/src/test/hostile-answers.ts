import type { ScriptedAnswer } from "./scripted-server.ts";

/** Answers that no protocol in XML allows, made from a valid one. */
export function hostileAnswers(approved: string): [name: string, ScriptedAnswer][] {
  const root = /<(\w+)>/.exec(approved)?.[1] ?? "";
  const doctype = `<!DOCTYPE x SYSTEM "file:///etc/passwd"><${root}>`;
  return [
    ["HTTP 500", { status: 500, body: approved }],
    ["HTTP 404", { status: 404, body: approved }],
    ["HTTP 201", { status: 201, body: approved }],
    ["a redirect", { status: 302, body: approved }],
    ["nothing", { body: "" }],
    ["a page", { contentType: "text/plain", body: "<html>maintenance</html>" }],
    ["half of an answer", { body: approved.slice(0, 200) }],
    ["10 MB", { body: approved + " ".repeat(10_000_000) }],
    ["70 KB of depth", { body: `<${root}>${"<a>".repeat(20_000)}` }],
    ["another root", { body: approved.replaceAll(root, "Another") }],
    ["a document type", { body: approved.replace(`<${root}>`, doctype) }],
    ["not well-formed", { body: approved.replace(`</${root}>`, `a & b</${root}>`) }],
    ["UTF-16", { contentType: "text/xml;charset=utf-16", body: Buffer.from(approved, "utf16le") }],
    ["other bytes than declared", { contentType: UTF8, body: Buffer.from(`${approved}\u00fe`, "latin1") }],
  ];
}

const UTF8 = "text/xml;charset=utf-8";
