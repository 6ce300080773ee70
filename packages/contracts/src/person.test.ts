import { expect, test } from "vitest";
import { isStaff, nameOf, personOf } from "./person.ts";

const bora = { kind: "operator", issuer: "https://login.example", subject: "bora" } as const;

test("a person differs by kind, by issuer and by subject, and is shown by the subject", () => {
  const people = [
    bora,
    { ...bora, kind: "staff" as const },
    { ...bora, issuer: "https://other.example" },
    { ...bora, subject: "Bora" },
    // No issuer and subject together read as another pair.
    { ...bora, issuer: "https://login.example bora", subject: "x" },
    { ...bora, subject: "bora x" },
    { ...bora, subject: "https://other.example bora" },
  ].map(personOf);
  expect(new Set(people).size).toBe(people.length);
  expect(people.map(nameOf)).toEqual([
    "bora",
    "bora",
    "bora",
    "Bora",
    "x",
    "bora x",
    "https://other.example bora",
  ]);
  expect(people.map(isStaff)).toEqual([false, true, false, false, false, false, false]);
});

test("a process is shown by its name, and is of nobody's staff", () => {
  expect(nameOf("installation")).toBe("installation");
  expect(isStaff("staff")).toBe(false);
});
