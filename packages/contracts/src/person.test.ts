import { expect, test } from "vitest";
import { isSamePerson, kindOf, nameOf, personOf } from "./person.ts";

const bora = { kind: "operator", issuer: "https://login.example", subject: "bora" } as const;

test("a record differs by kind, by issuer and by subject, and is shown by the subject", () => {
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
  expect(people.map(kindOf)).toEqual(["operator", "staff", ...Array(5).fill("operator")]);
  expect(people.map((person) => isSamePerson(person, people[0]!))).toEqual([
    true,
    true,
    ...Array(5).fill(false),
  ]);
});

test("a process is shown by its name, is of no kind, and is nobody but itself", () => {
  expect(nameOf("installation")).toBe("installation");
  expect(kindOf("staff")).toBeUndefined();
  expect(isSamePerson("installation", "installation")).toBe(true);
  expect(isSamePerson("bora", personOf(bora))).toBe(false);
  expect(isSamePerson(null, personOf(bora))).toBe(false);
});
