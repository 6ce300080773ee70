/** `npm run erase`: removes a merchant's customer from old rows. In the image of the installation it is `src/erase.ts`. */
import { erase } from "./erasure/erase-command.ts";

try {
  process.exitCode = await erase(process.argv.slice(2), process.env, (text) => process.stdout.write(text));
} catch (error) {
  process.stderr.write(`erase: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
