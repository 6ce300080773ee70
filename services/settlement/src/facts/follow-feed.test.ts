import { expect, test } from "vitest";
import { completion, type Feed } from "./follow-feed.ts";

const at = (second: number) => new Date(second * 1_000);
const place = (transaction: number) =>
  ({ feed: "f", of: "changes", transaction: `${transaction}`, id: crypto.randomUUID() }) as const;
const feed = (changed: Partial<Feed> = {}): Feed => ({
  owner: "payments",
  place: null,
  complete_at: at(0),
  aim: null,
  aimed_at: null,
  now: at(10),
  ...changed,
});
const page = (transaction: number, unbegun: number, isLast = true) => ({
  facts: [],
  next: place(transaction),
  isLast,
  unbegun: `${unbegun}`,
});

test("where no transaction was running all is known that there was when the page was asked for", () => {
  expect(completion(feed(), page(9, 9))).toEqual({ complete_at: at(10), aim: null, aimed_at: null });
});

test("where one was running, all is known once the feed has been read past those that had begun", () => {
  const aimed = { complete_at: at(0), aim: "10", aimed_at: at(10) };
  expect(completion(feed(), page(7, 10))).toEqual(aimed);
  const later = feed({ ...aimed, now: at(12) });
  // Compared as numbers.
  expect(completion(later, page(9, 20))).toEqual(aimed);
  expect(completion(later, page(11, 20))).toEqual({ complete_at: at(10), aim: "20", aimed_at: at(12) });
});

test("a page that is not the last one completes nothing", () => {
  const aimed = { complete_at: at(0), aim: "10", aimed_at: at(10) };
  expect(completion(feed({ ...aimed, now: at(12) }), page(30, 30, false))).toEqual(aimed);
});
