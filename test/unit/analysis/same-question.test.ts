import { describe, expect, it } from "vitest";
import { QuestionGroups } from "../../../core/analysis/question/groups.ts";
import { printOf } from "../../../core/analysis/question/print.ts";
import { sameQuestion } from "../../../core/analysis/question/same-question.ts";
import { packVector, unpackVector } from "../../../core/analysis/question/vector.ts";

const same = (a: string, b: string, vectors?: readonly [number[], number[]]) =>
  sameQuestion(
    { print: printOf(a), vector: vectors?.[0] ?? null },
    { print: printOf(b), vector: vectors?.[1] ?? null },
    () => 0,
  );

describe("two questions are the same", () => {
  it.each([
    ["in another order", "Wo liegt die Preisliste für Händler?", "Die Preisliste für Händler: wo liegt die?"],
    [
      "with other light words",
      "Where is the onboarding checklist?",
      "Hi, could you please tell me where I find the onboarding checklist?",
    ],
    ["in capitals and without accents", "Wo ist der Prüfplan für Öfen?", "WO IST DER PRUFPLAN FUR OFEN?"],
    [
      "with umlauts in two letters and sharp s as ss",
      "Wie heißt die Straße des Lagers Süd?",
      "Wie heisst die Strasse des Lagers Sued?",
    ],
    [
      "in singular and plural",
      "Welche Schraube gehört in das Gehäuse?",
      "Welche Schrauben gehören ins Gehäuse?",
    ],
    [
      "with a compound taken apart",
      "Wie lautet die Lieferadresse von Hansa?",
      "Wie lautet die Adresse für die Lieferung an Hansa?",
    ],
    ["in German and English", "Welches Passwort hat der Webshop?", "What is the password of the webshop?"],
    [
      "with a date written in another way",
      "Wer hat am 12.3.2026 Bereitschaft?",
      "Am 2026-03-12: wer hat Bereitschaft?",
    ],
    [
      "after a sentence that says why",
      "The courier is at the door. Which gate opens for pallets?",
      "Which gate opens for pallets?",
    ],
    ["without a subject, in the same words", "Are you there?", "are you THERE"],
  ])("%s", (_, a, b) => {
    expect([same(a, b), same(b, a)]).toEqual([true, true]);
  });
});

describe("two questions are not the same", () => {
  it.each([
    ["with other numbers", "Is invoice 4711 paid?", "Is invoice 4712 paid?"],
    ["with other ids", "Wo steht die Palette P-17?", "Wo steht die Palette P-18?"],
    ["with other names", "Welche Telefonnummer hat Herr Schmidt?", "Welche Telefonnummer hat Frau Weber?"],
    ["with names a letter apart", "Which discount does Bergmann get?", "Which discount does Bergman get?"],
    ["when one is negated", "Which orders are confirmed?", "Which orders are not confirmed?"],
    ["on two sides of an opposite", "Which trucks leave before noon?", "Which trucks leave after noon?"],
    [
      "when one asks who and one asks when",
      "Wer prüft den Jahresabschluss?",
      "Wann wird der Jahresabschluss geprüft?",
    ],
    [
      "about another thing",
      "Wo finde ich die Zugangsdaten zum Testserver?",
      "Wo finde ich die Zugangsdaten zum Mailserver?",
    ],
    [
      "when one asks for more",
      "Welches Passwort hat der Webshop?",
      "Welches Passwort hat die Testinstanz im Webshop?",
    ],
    ["with other addresses", "Who reads mail to a@example.com?", "Who reads mail to b@example.com?"],
    ["without a subject, in other words", "Are you there?", "Are you done?"],
    [
      "in what they tell of, each something of its own",
      "Nordwind called. Which discount applies?",
      "Contour called. Which discount applies?",
    ],
  ])("%s", (_, a, b) => {
    expect([same(a, b), same(b, a)]).toEqual([false, false]);
  });
});

describe("with an embedding model", () => {
  const near: [number[], number[]] = [
    [1, 0.1, 0],
    [1, 0.12, 0.01],
  ];

  it("other words say the same where the vectors are close", () => {
    const [a, b] = ["How do we get rid of broken pallets?", "What is the way to dispose of damaged skids?"];
    expect([
      same(a, b),
      same(a, b, near),
      same(a, b, [
        [1, 0, 0],
        [0, 1, 0],
      ]),
    ]).toEqual([false, true, false]);
  });

  it("numbers and names still make two questions of it", () => {
    expect(same("Dispose of pallet 17, how?", "How to get rid of skid 18?", near)).toBe(false);
    expect(same("What does Nordwind ask for?", "What does Contour want?", near)).toBe(false);
  });

  it("a vector is kept short and comes back nearly as it was", () => {
    const vector = Array.from({ length: 50 }, (_, index) => Math.sin(index) / 7);
    const back = unpackVector(packVector(vector));
    const scale = Math.max(...vector.map(Math.abs)) / 127;
    expect(packVector(vector)).toHaveLength(68);
    expect(
      Math.max(...vector.map((value, index) => Math.abs(value - (back[index] ?? 0) * scale))),
    ).toBeLessThanOrEqual(scale);
  });
});

describe("questions that are asked again", () => {
  const asked = (questionId: number, text: string, answer: string | null) => ({
    questionId,
    answerId: questionId + 1,
    from: "a",
    to: "b",
    at: new Date(questionId * 1_000).toISOString(),
    answered: answer !== null,
    print: printOf(text),
    vector: null,
    answerPrint: answer === null ? null : printOf(answer),
  });

  it("come to one group that tells how often, when, and whether the answer was the same", () => {
    const groups = new QuestionGroups([]);
    groups.add(asked(10, "Where is the price list?", "In /lists, file prices."));
    groups.add(asked(20, "Price list, where is it?", "In /lists: the file is prices"));
    groups.add(asked(30, "Where do I find the price list?", null));
    groups.add(asked(40, "Where is the wage list?", "Nobody may see it."));
    groups.add(asked(20, "Price list, where is it?", "again"));
    expect(
      groups
        .changed()
        .map(({ groupId, asked: times, answered, sameAnswers, lastAt }) => [
          groupId,
          times,
          answered,
          sameAnswers,
          lastAt,
        ]),
    ).toEqual([
      [10, 3, 2, 1, new Date(30_000).toISOString()],
      [40, 1, 1, 0, new Date(40_000).toISOString()],
    ]);
  });

  it("go on where an earlier step of the analysis ended", () => {
    const first = new QuestionGroups([]);
    first.add(asked(10, "Where is the price list?", "In /lists."));
    const second = new QuestionGroups(first.changed());
    second.add(asked(20, "Where is the price list?", "In /lists."));
    expect(second.changed()).toMatchObject([{ groupId: 10, asked: 2, sameAnswers: 1 }]);
  });
});
