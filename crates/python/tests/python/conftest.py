import pytest

DESIGN = """
design notes
table Notes "notes" { key (PK | SK) }
caller { userId slug }
entity Note in Notes {
  PK = "USER#{userId}"  SK = "NOTE#{noteId}"
  userId slug = caller.userId  noteId ulid = new  words string(1..200)  price? decimal(30, 2)
  secret? string(1..99) @encrypted("alias/notes-{userId}")
  at time(ms) = now
  tenant userId
}
entity Title in Notes {
  PK = "USER#{userId}"  SK = "TITLE#{name}"
  userId slug = caller.userId  name slug
  unique name
  tenant userId
}
operation write = create Note
operation entitle = create Title
pattern note = get Note by userId, noteId
pattern notes = list Note by userId page 2
"""


@pytest.fixture(scope="session")
def sortkey_design():
    return DESIGN


@pytest.fixture
def notes(sortkey_database):
    return sortkey_database.program()
