import type { PageAnswer } from "../ui/page-context.ts";

/**
 * The answers of forms that show a secret once, kept for the second click of a double click, which gets the
 * first click's answer.
 */
export type SharedAnswers = {
  /**
   * @param key identifies the session and the form; undefined for a form without a key, whose answer is not
   * shared.
   */
  answer: (key: string | undefined, work: () => Promise<PageAnswer>) => Promise<PageAnswer>;
};

/**
 * Keeps answers in memory alone, for seconds and for few forms: an answer with a secret is never stored. If the clicks
 * reach different processes, or the memory is full, the second page says that the secret was shown before.
 */
export function createSharedAnswers(keepMs = KEEP_MS, formsMax = FORMS_MAX): SharedAnswers {
  const answers = new Map<string, Promise<PageAnswer>>();
  return {
    async answer(key, work) {
      const known = key === undefined ? undefined : answers.get(key);
      if (known) return await known;
      const answering = work();
      if (key === undefined || answers.size >= formsMax) return await answering;
      answers.set(key, answering);
      const forget = () => void answers.delete(key);
      try {
        const answer = await answering;
        // A refused form is entered again, and is then another request.
        if (answer.kind === "page" && (answer.status ?? 200) >= 400) forget();
        else setTimeout(forget, keepMs).unref();
        return answer;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

const KEEP_MS = 20_000;
const FORMS_MAX = 1_000;
