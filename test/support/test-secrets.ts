/** Secrets of the environment that the in-runtime tests run in. Invented; they open nothing. */
export const TEST_SECRETS = {
  TEST_SECRET_A: 'Zq7/x+Kd%41"vB9=tR2wLm',
  TEST_SECRET_B: "forty blue geese left at 5:43",
  TEST_SECRET_C: "hjT-4m_Rw8.Nc2~Vy6pX",
} as const;
