/** A reporter of vitest that writes how many errors happened outside any test, which its JSON report does not hold. */
import { writeFileSync } from 'node:fs';

export default class OutsideErrors {
  onTestRunEnd(_modules, errors) {
    writeFileSync(process.env.TRUNKLINE_TEST_OUTSIDE_ERRORS, String(errors.length));
  }
}
