"""Texts that are no Unicode: what they are taken for, and what is said where that is doubtful."""

import codecs

import pytest

from proset.common.errors import TableError
from proset.data.chunks import read_chunks
from proset.data.reading.encoding import check_encoding, find_encoding
from proset.data.reading.encodings import ENCODINGS, RIVALS
from proset.data.reading.exact_cells import read_exact
from proset.data.table import Limits, read_table

SURE = {
    "chinese": ("姓名,城市\n张三,北京\n李四,上海\n王五,广州\n", "gb18030"),
    "one chinese word": ("name,city\nA,北京\nB,x\n", "gb18030"),
    "traditional chinese": ("姓名,城市\n張三,臺北\n李四,高雄\n", "big5"),
    "japanese": ("名前,都市\n山田,東京\n鈴木,大阪\n", "cp932"),
    "korean": ("이름,도시\n김철수,서울\n이영희,부산\n", "cp949"),
    "russian": ("имя,город\nИван,Москва\nПётр,Казань\n", "cp1251"),
    "russian of unix": ("имя,город\nИван,Москва\nПётр,Казань\n", "koi8-r"),
    "polish": ("imię,miasto\nŁukasz,Łódź\nEwa,Gdańsk\n", "cp1250"),
    "greek": ("όνομα,πόλη\nΝίκος,Αθήνα\n", "cp1253"),
    "thai": ("ชื่อ,เมือง\nสมชาย,กรุงเทพ\n", "cp874"),
    "french": ("prénom,ville\nRené,Orléans\nÉlise,Nîmes\n", "cp1252"),
    "swedish": ("namn,ort\nÅsa,Malmö\nBo,Växjö\n", "cp1252"),
    "spanish": ("año,niño\n1,ñ\n2,sí\n", "cp1252"),
    "german of dos": ("Größe,Straße\n1,Köln\n2,München\n", "cp850"),
    "degrees": ("id,t\n1,5 °C\n2,6 °C\n", "cp1252"),
    "euros": ("id,price\n1,5 €\n2,6 €\n", "cp1252"),
}


@pytest.mark.parametrize("case", SURE)
def test_short_texts_read_as_written_and_raise_no_doubt(case):
    text, encoding = SURE[case]
    table = read_table(text.encode(encoding))
    assert text.encode(encoding).decode(table.dialect.encoding) == text
    assert [issue.code for issue in table.issues if "encoding" in issue.code] == ["encoding"]


@pytest.mark.parametrize(
    ("text", "encoding", "words"),
    [("id,sex\n1,男\n2,男\n", "gbk", ("'男'", "'ÄÐ'", "GBK")), ("id,x\n1,да\n2,нет\n", "cp1251", ("'да'", "'äà'"))],
)
def test_a_doubtful_encoding_is_said_with_a_word_both_ways(text, encoding, words):
    table = read_table(text.encode(encoding))
    issue = next(issue for issue in table.issues if issue.code == "doubtful_encoding")
    assert issue.severity == "warning"
    for word in words:
        assert word in issue.message


def test_a_stated_encoding_is_not_doubted():
    table = read_table("id,sex\n1,男\n2,男\n".encode("gbk"), encoding="gbk")
    assert not [issue for issue in table.issues if "encoding" in issue.code]


def test_the_list_names_encodings_that_there_are():
    for name in [*ENCODINGS, *(script.encoding for script in RIVALS)]:
        assert codecs.lookup(check_encoding(name)).name == codecs.lookup(name).name
    assert {script.encoding for script in RIVALS} <= set(ENCODINGS)


def test_what_is_proved_is_sure():
    assert find_encoding([b"a,b\n"]).sure
    assert find_encoding(["ä".encode("utf-16")]).sure


@pytest.mark.slow
@pytest.mark.parametrize("shift", range(4))
@pytest.mark.parametrize(("words", "encoding"), [("北京 上海 广州", "gb18030"), ("東京 大阪 山田", "cp932")])
def test_a_long_file_is_not_judged_by_characters_that_were_cut(words, encoding, shift):
    lines = "".join(f"{i},{words}{words[i % len(words)]}{i}\n" for i in range(90_000))
    content = ("x" * shift + lines).encode(encoding)
    size = 1 << 20
    guess = find_encoding(content[start : start + size] for start in range(0, len(content), size))
    assert (guess.encoding, guess.sure) == (encoding, True)
    late = b"a,b\n" * 262_150 + content[: 1 << 19]  # plain at first, so that a later block decides
    blocks = [late[start : start + size] for start in range(0, len(late), size)]
    assert find_encoding(blocks).encoding == encoding


TOWNS = "id,town\n" + "".join(
    f"{i},{town}\n" for i, town in enumerate(["Köln", "Besançon", "Århus", "Łódź", "北京"] * 4)
)
NEARLY = {
    "a byte of another encoding": (TOWNS.encode() + b"21,M\xfcnchen\n", 1, "21,M\ufffdnchen"),
    "two such lines": (b"id,town\n0,Gr\xf6den\n1,Gie\xdfen\n" + TOWNS.encode()[8:], 2, "0,Gr\ufffdden"),
    "cut within a character": (TOWNS.encode() + "21,Tromsø".encode()[:-1], 1, "21,Troms\ufffd"),
    "a mark at the beginning": (b"\xef\xbb\xbfid,town\n1,K\xc3\xb6ln\n2,Gie\xdfen\n", 1, "2,Gie\ufffden"),
    "far behind": (TOWNS.encode() + b"21,x\n" * 300_000 + b"22,M\xfcnchen\n", 1, "22,M\ufffdnchen"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", NEARLY)
def test_unicode_with_a_few_other_bytes_stays_unicode_and_says_so(case):
    data, n_bad, line = NEARLY[case]
    table = read_table(data)
    assert table.dialect.encoding in ("utf-8", "utf-8-sig")
    assert "Köln" in set(table.frame["town"])
    assert line.split(",")[1] in set(table.frame["town"])
    said = {issue.code: issue.message for issue in table.issues}
    assert set(said) == {"doubtful_encoding", "replaced_characters"}
    assert line.split(",")[1] in said["doubtful_encoding"]
    assert f"{n_bad} place(s)" in said["replaced_characters"]
    pieces = read_chunks(data, chunk_rows=1000, dialect=table.dialect)  # with the encoding given, it is the same table
    assert sum(map(len, pieces)) == len(table.frame)
    assert line.split(",")[1] in {row[1] for row in read_exact(data, limits=Limits()).rows}


@pytest.mark.parametrize("text", ["a,b\n1,Köln\n2,Gießen\n", "a,b\n" + "1,Köln\n" * 50])
def test_what_is_mostly_no_unicode_is_none(text):
    data = text.encode("cp1252") + "3,Århus\n".encode()
    assert find_encoding([data]).encoding == "cp1252"
    with pytest.raises(TableError, match="not written in utf-8"):
        read_table(data, encoding="utf-8")


def test_the_sign_for_a_replaced_character_may_stand_in_a_file():
    data = "a,b\n1,\ufffd\n2,\ufffd\n".encode()
    cut = data.index("\ufffd".encode()) + 1
    assert find_encoding([data[:cut], data[cut:]]).sure
    assert read_table(data).issues == ()
