import { describe, expect, it } from "vitest";
import { fittingQuestions } from "../../../core/analysis/analyse-questions.ts";
import { findQuestions } from "../../../core/analysis/find-questions.ts";
import { QuestionGroups } from "../../../core/analysis/question/groups.ts";
import { printOf } from "../../../core/analysis/question/print.ts";
import { sameQuestion } from "../../../core/analysis/question/same-question.ts";
import { cosine, packVector, unpackVector } from "../../../core/analysis/question/vector.ts";
import { withSentences } from "../../../core/analysis/sentences.ts";
import { ownJson } from "../../../core/journal/database.ts";
import type { Reader } from "../../../core/record/reader.ts";

const same = (a: string, b: string, vectors?: readonly [number[], number[]]) =>
  sameQuestion(
    { print: printOf(a), vector: vectors === undefined ? null : vectorOf(vectors[0]) },
    { print: printOf(b), vector: vectors === undefined ? null : vectorOf(vectors[1]) },
    () => 0,
  );

const vectorOf = (values: number[], model = "m") => unpackVector(packVector(model, values));

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
    ["with thousands set apart", "Wo lagern 1.000 Stück Schrauben?", "Wo lagern 1000 Stück Schrauben?"],
    ["with a name that is an umlaut in two letters", "Was kostet der Süd-3?", "Was kostet der Sued-3?"],
    [
      "with a space missing after a full stop",
      "Danke.Wo liegt der Prüfplan?",
      "Danke. Wo liegt der Prüfplan?",
    ],
    [
      "in polite words for who",
      "Who can restart the webshop?",
      "Can you tell me who may restart the webshop?",
    ],
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
    [
      "with names that mean nothing in small letters",
      "Welche Blutgruppe hat Herr Kurz?",
      "Welche Blutgruppe hat Herr Weiß?",
    ],
    ["with such names without a title", "Which shift does Will have?", "Which shift does May have?"],
    ["with such names of women", "Welche Blutgruppe hat Frau Will?", "Welche Blutgruppe hat Frau Stelle?"],
    ["with names like inflected ones", "Wo wohnt Schulz?", "Wo wohnt Schulze?"],
    ["with a name and its plural", "Which desk has Peter?", "Which desk has Peters?"],
    ["with firms like inflected ones", "Welchen Rabatt hat Firma Lang?", "Welchen Rabatt hat Firma Lange?"],
    ["with names whose letters are no umlaut", "Wo wohnt Frau Bauer?", "Wo wohnt Frau Baur?"],
    ["with letters for customers", "Welchen Rabatt hat Kunde A?", "Welchen Rabatt hat Kunde B?"],
    ["with letters for models", "What does model x weigh?", "What does model y weigh?"],
    ["about a list and about a rule", "Where is the price list?", "Where is the price rule?"],
    ["about a list and about a default", "What is the refund list?", "What is the refund default?"],
    [
      "when one asks whether and one asks where",
      "Bekomme ich den Quartalsbericht?",
      "Wo ist der Quartalsbericht?",
    ],
    [
      "when one asks whether and one asks what",
      "Bekomme ich den Quartalsbericht?",
      "Was steht im Quartalsbericht?",
    ],
    ["when one asks for leave and one for duty", "Darf ich Kessler mahnen?", "Muss ich Kessler mahnen?"],
    [
      "from one place to another and back",
      "Wann geht die Lieferung aus Hamburg nach Berlin?",
      "Wann geht die Lieferung aus Berlin nach Hamburg?",
    ],
    ["when they change places", "Can Nordwind pay Kessler?", "Can Kessler pay Nordwind?"],
    ["when they change places in German", "Hat Anna Bert bezahlt?", "Hat Bert Anna bezahlt?"],
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
    const { model, values } = vectorOf(vector, "small model");
    const size = Math.hypot(...vector);
    expect(packVector("", vector)).toHaveLength(69);
    expect([model, values.length]).toEqual(["small model", 50]);
    expect(
      Math.max(...vector.map((value, index) => Math.abs(value / size - (values[index] ?? 0)))),
    ).toBeLessThan(0.01);
  });

  it("vectors of another model say nothing", () => {
    expect(cosine(vectorOf([1, 2]), vectorOf([1, 2]))).toBeCloseTo(1, 5);
    expect(cosine(vectorOf([1, 2]), vectorOf([1, 2], "other"))).toBe(0);
  });
});

describe("a step of the analysis", () => {
  const toB = (from: string) => ({ from, to: "b" });

  it("takes the oldest questions that cost so many comparisons, and one always", () => {
    const known = new Map([[JSON.stringify(["a", "b"]), Array.from({ length: 100 })]]);
    const asked = Array.from({ length: 9 }, () => toB("a"));
    expect(fittingQuestions(asked, known, 250)).toHaveLength(3);
    expect(fittingQuestions(asked, known, 0)).toHaveLength(1);
  });

  it("leaves pairs whose groups it has not read", () => {
    const known = new Map([[JSON.stringify(["a", "b"]), []]]);
    expect(fittingQuestions([toB("a"), toB("c"), toB("a")], known, 10)).toEqual([toB("a"), toB("a")]);
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

  it("do not come together by way of one that fits several", () => {
    const groups = new QuestionGroups([]);
    const texts = [
      "Hast du den Quartalsbericht?",
      "Wo ist der Quartalsbericht?",
      "Wann kommt der Quartalsbericht?",
      "Wer hat den Quartalsbericht?",
    ];
    for (const [index, text] of texts.entries()) groups.add(asked(10 * (index + 1), text, "Nein."));
    expect(groups.changed().map(({ asked: times }) => times)).toEqual([1, 1, 1, 1]);
  });

  it("go on where an earlier step of the analysis ended", () => {
    const first = new QuestionGroups([]);
    first.add(asked(10, "Where is the price list?", "In /lists."));
    const second = new QuestionGroups(first.changed());
    second.add(asked(20, "Where is the price list?", "In /lists."));
    expect(second.changed()).toMatchObject([{ groupId: 10, asked: 2, sameAnswers: 1 }]);
  });
});

describe("what is told of a question that was asked very often", () => {
  const DAY = 86_400_000;
  const iso = (day: number) => new Date(day * DAY).toISOString();
  /** On each day from the first on; of them the newest hundred are kept, one of the oldest was imported last. */
  const often = () => {
    const groups = new QuestionGroups([]);
    const days = Array.from({ length: 150 }, (_, day) => day + 1);
    for (const day of [...days.filter((each) => each !== 5), 5])
      groups.add({
        questionId: day * 10,
        answerId: day * 10 + 1,
        from: "a",
        to: "b",
        at: iso(day),
        answered: true,
        print: printOf("Where is the price list?"),
        vector: null,
        answerPrint: printOf(`In folder ${day}`),
      });
    return groups.changed();
  };
  const told = async (since: string | null, before: string | null) => {
    const reader: Reader = {
      all: async <Row>(sql: string) =>
        ownJson<Row[]>(JSON.stringify(sql.includes("QuestionGroups") ? often() : [])),
      first: async () => null,
      rowsRead: 0,
    };
    const period = { since, before };
    const [finding] = await findQuestions(reader, { period, filter: { a: null, b: null, channel: null } }, 5);
    return finding && { count: finding.count, ...finding.numbers, lastAt: finding.lastAt };
  };

  it("is all of it where the period holds all", async () => {
    const all = { count: 150, answered: 150, sameAnswers: 0 };
    expect(await told(null, null)).toEqual({ ...all, lastAt: iso(150) });
    expect(await told(iso(1), iso(151))).toEqual({ ...all, lastAt: iso(150) });
  });

  it("is what fell into the period, and at least that where it goes back further than is kept", async () => {
    const kept = { count: 100, answered: 100, sameAnswers: 0, lastAt: iso(150) };
    expect(await told(iso(51), null)).toEqual(kept);
    expect(await told(iso(120), iso(130))).toMatchObject({ count: 10, answered: 10 });
    expect(await told(iso(20), null)).toEqual({ ...kept, atLeast: 1 });
  });

  it("says how many answers came and how they differ, in one sentence", () => {
    const sentence = (count: number, numbers: Record<string, number>) =>
      withSentences({
        ...{ id: "x", code: "repeated_question", cause: "unclear_responsibility", count, numbers },
        ...{ agents: ["a", "b"], channel: "ask", taskId: null, firstAt: null, lastAt: null },
        ...{ messageIds: [], rootRunIds: [], example: null },
      }).text;
    expect(sentence(3, { answered: 0, sameAnswers: 0 })).toMatch(/3 times; none was answered\.$/);
    expect(sentence(3, { answered: 1, sameAnswers: 0 })).toMatch(/; one was answered\.$/);
    expect(sentence(3, { answered: 3, sameAnswers: 0 })).toMatch(/; 3 were answered, each in another way/);
    expect(sentence(100, { answered: 90, sameAnswers: 30, atLeast: 1 })).toMatch(
      /at least 100 times; 90 were answered, 30 of them like the one before/,
    );
  });
});
