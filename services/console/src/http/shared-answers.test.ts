import { html } from "@holdfast/html";
import { expect, test, vi } from "vitest";
import type { PageAnswer } from "../ui/page-context.ts";
import { createSharedAnswers } from "./shared-answers.ts";

const page = (status: number): PageAnswer => ({ kind: "page", status, title: "", content: html`` });

test("the second click of a double click gets the answer of the first", async () => {
  const { answer } = createSharedAnswers();
  const work = vi.fn(() => Promise.resolve(page(200)));
  const [first, second] = await Promise.all([answer("form", work), answer("form", work)]);
  expect(second).toBe(first);
  expect(await answer("form", work)).toBe(first);
  expect(work).toHaveBeenCalledTimes(1);
});

test("two forms have an answer each, and so has a form without a key", async () => {
  const { answer } = createSharedAnswers();
  const work = vi.fn(() => Promise.resolve(page(200)));
  for (const key of ["one", "other", undefined, undefined]) await answer(key, work);
  expect(work).toHaveBeenCalledTimes(4);
});

test("a refusal and a failure are not kept: the same form can be sent again", async () => {
  const { answer } = createSharedAnswers();
  await answer("form", () => Promise.resolve(page(400)));
  await expect(answer("form", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  const done = page(200);
  expect(await answer("form", () => Promise.resolve(done))).toBe(done);
});

test("an answer is forgotten after its time, and a full memory keeps no more", async () => {
  vi.useFakeTimers();
  try {
    const { answer } = createSharedAnswers(1_000, 1);
    const work = vi.fn(() => Promise.resolve(page(200)));
    await answer("one", work);
    for (let click = 0; click < 2; click++) await answer("other", work);
    expect(work).toHaveBeenCalledTimes(3);
    vi.advanceTimersByTime(1_000);
    await answer("one", work);
    expect(work).toHaveBeenCalledTimes(4);
  } finally {
    vi.useRealTimers();
  }
});
