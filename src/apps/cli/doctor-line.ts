import type { DoctorFinding } from './doctor-checks.ts';

export const findingLine = ({ name, works, required, detail }: DoctorFinding): string =>
  `${works ? 'ok   ' : required ? 'FAILS' : 'off  '}  ${name}${detail ? `: ${detail}` : ''}`;
