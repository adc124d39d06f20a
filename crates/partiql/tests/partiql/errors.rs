//! Statements that are refused, with DynamoDB's words.

use sortkey_value::AttributeValue;

use crate::support::bind;

fn refused(text: &str) -> String {
    bind(text, &[]).expect_err(text)
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(refused(text), *expected, "{text}");
    }
}

fn not_well_formed(cases: &[(&str, &str)]) {
    for (text, detail) in cases {
        let expected = format!("Statement wasn't well formed, can't be processed: {detail}");
        assert_eq!(refused(text), expected, "{text}");
    }
}

/// `1:column:length` of the first occurrence of a token behind another.
fn place(text: &str, behind: &str, token: &str) -> String {
    let start = text.find(behind).unwrap() + behind.len();
    let column = start + text[start..].find(token).unwrap() + 1;
    format!("1:{column}:{}", token.len())
}

#[test]
fn statements_follow_the_grammar() {
    let leftover = "Unexpected token after expression";
    let missing = "Missing right-hand side expression of infix operator";
    not_well_formed(&[
        ("SELECT * FROM \"t\" WHERE pk = 1 foo", leftover),
        ("SELECT * FROM \"t\" WHERE pk = 1 e5", leftover),
        ("INSERT INTO \"t\" VALUE {'pk': 1} foo", leftover),
        ("UPDATE \"t\" SET a = 9 WHERE pk = 1 foo", leftover),
        ("DELETE FROM \"t\" WHERE pk = 1 foo", leftover),
        ("SELECT * FROM \"t\" WHERE pk = 1)", leftover),
        ("DELETE FROM \"t\" WHERE pk = 1 ORDER BY pk", leftover),
        ("SELECT * FROM \"t\" ORDER BY pk WHERE pk = 1", leftover),
        ("INSERT INTO \"t\" x VALUE {'pk': 'x'}", leftover),
        ("SELECTT * FROMM \"t\"", leftover),
        ("FROM \"t\" SET c = 1 WHERE pk = 'x'", leftover),
        ("SELECT * FROM \"t\" WHERE pk = 1e2147483648", ""),
        ("SELECT * FROM \"t\" WHERE pk = 1.5e-2147483647", ""),
        ("SELECT * FROM \"t\" WHERE pk = 1 # note", ""),
        ("SELECT * FROM \"t\" WHERE pk = 1 /* note", ""),
        ("SELECT * FROM \"t", ""),
        ("SELECT * FROM \"t\" WHERE", "Unexpected term"),
        ("SELECT * FROM \"t\" WHERE;", "Unexpected term"),
        ("UPDATE \"t\" SET a = 1 WHERE", "Unexpected term"),
        ("DELETE FROM \"t\" WHERE", "Unexpected term"),
        ("SELECT * FROM \"t\" WHERE NOT", "Unexpected term"),
        ("SELECT * FROM \"t\" WHERE (", "Unexpected term"),
        ("SELECT * FROM", "Unexpected term"),
        ("SELECT * FROM \"t\" WHERE pk = 'p1' AND", missing),
        ("SELECT * FROM \"t\" WHERE pk = 'p1' OR", missing),
        ("SELECT * FROM \"t\" WHERE ORDER BY pk", "Unexpected keyword"),
        ("SELECT * FROM \"t\" WHERE pk = 'a' AND x IS FOO", "Expected type name"),
        ("SELECT * FROM \"t\" WHERE IS NULL", "Unexpected operator"),
        ("SELECT * FROM \"t\" WHERE pk = LIKE", "Unexpected operator"),
        ("DELETE FROM", "Expected identifier for simple path"),
        ("DELETE FROM;", "Expected identifier for simple path"),
        ("DELETE FROM WHERE pk = 'a'", "Expected identifier for simple path"),
        ("SELECT * FROM \"t\" WHERE attribute_exists(m.inner)", "Invalid path dot component"),
    ]);
    check(&[
        ("SELECT * FROM \"t\" x WHERE pk = 'x'", "Aliasing is not supported"),
        ("SELECT * FROM \"t\" AS x WHERE pk = 'x'", "Aliasing is not supported"),
        ("UPDATE \"t\" x SET a = 3 WHERE pk = 'x'", "Aliasing is not supported"),
        ("DELETE FROM \"t\" x WHERE pk = 'x'", "Aliasing is not supported"),
        ("x IS INT4", "Unsupported operation: IsType"),
        ("x IS DOUBLE PRECISION", "Unsupported operation: IsType"),
        ("SELECT * FROM t; SELECT * FROM t", "Only one operation is allowed in a statement."),
    ]);
}

#[test]
fn nothing_is_nested_too_deep_to_refuse() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{'a':", "}"), ("<<", ">>"), ("NOT ", ""), ("size(", ")")]
    {
        let count = 8000 / (open.len() + close.len());
        let text = format!("SELECT * FROM t WHERE a = {}1{}", open.repeat(count), close.repeat(count));
        assert!(bind(&text[..text.len().min(8192)], &[]).is_err(), "{open}");
    }
    for operator in [" + 1", " = 1", " - ", " OR a = 1"] {
        let text = format!("SELECT * FROM t WHERE a = 1{}", operator.repeat(7000 / operator.len()));
        let _ = bind(&text, &[]);
    }
}

/// Comparing the answer of a test writes the test twice. A chain of 60 such comparisons, 300 bytes of text, once took all
/// memory that the machine had.
#[test]
fn comparisons_of_comparisons_do_not_grow_without_bound() {
    let chain = format!("SELECT * FROM t WHERE a{}", " = a".repeat(60));
    assert!(refused(&chain).contains("operators"), "{}", refused(&chain));
    let nested =
        format!("SELECT * FROM t WHERE {}a = 1{}", "(".repeat(20), " IN (true, false, true))".repeat(20));
    assert!(refused(&nested).contains("operators"), "{}", refused(&nested));
}

#[test]
fn tables_are_named() {
    check(&[
        ("SELECT * FROM \"t\".\"i\".\"x\"", "A path may contain at most 2 components in the FROM clause"),
        ("SELECT * FROM \"t\".\"\" WHERE pk = 'p'", "Path component cannot be an empty string"),
        ("SELECT * FROM \"\" WHERE pk = 'p'", "Path component cannot be an empty string"),
        ("UPDATE \"t\".\"i\" SET a = 1", "This operation is not supported on an index"),
        ("SELECT * FROM t, u", "Only select from a single table or index is supported."),
        ("SELECT * FROM ['t']", "Unexpected from source"),
    ]);
}

#[test]
fn literals_are_values_that_can_be_stored() {
    let overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range";
    let underflow =
        "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    let digits = "Attempting to store more than 38 significant digits in a Number";
    let duplicates = "One or more parameter values were invalid: Input collection";
    check(&[
        ("SELECT * FROM t WHERE pk = 1e126", &format!("{overflow} under root")),
        ("SELECT * FROM t WHERE pk = 1e-131", &format!("{underflow} under root")),
        (
            "SELECT * FROM t WHERE pk = 123456789012345678901234567890123456789",
            &format!("{digits} under root"),
        ),
        ("INSERT INTO t VALUE {'pk': 1e126}", &format!("{overflow} under root")),
        ("UPDATE t SET a = 1e-131 WHERE pk = 1", &format!("{underflow} under root")),
        ("INSERT INTO t VALUE {'m': {'x': 1e126}}", &format!("{overflow} under root.x")),
        ("INSERT INTO t VALUE {'l': [1, 1e126]}", &format!("{overflow} under root[1]")),
        ("UPDATE t SET s = set_add(s, <<'b','b'>>)", &format!("{duplicates} [b, b] contains duplicates.")),
        (
            "UPDATE t SET n = set_add(n, <<2, 2.0>>)",
            &format!("{duplicates} [2, 2.0] contains duplicates! under root"),
        ),
        ("UPDATE t SET ss = set_add(ss, <<>>)", "Empty bags are not supported"),
        (
            "INSERT INTO t VALUE {'a': <<1, 'b'>>}",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
        ),
    ]);
    let deep = |open: &str, close: &str, count| {
        format!("UPDATE t SET d = {}1{} WHERE pk = 'x'", open.repeat(count), close.repeat(count))
    };
    let nesting = "Nesting Levels have exceeded supported limits under root";
    assert_eq!(refused(&deep("{'a':", "}", 32)), format!("{nesting}{}", ".a".repeat(32)));
    assert_eq!(refused(&deep("[", "]", 32)), format!("{nesting}{}", "[0]".repeat(32)));
    assert!(bind(&deep("{'a':", "}", 31), &[]).is_ok());
}

#[test]
fn parameters_stand_for_whole_values() {
    let one = [AttributeValue::from("v")];
    let text = "UPDATE t SET x = [?] WHERE pk = 'l'";
    let expected = format!("Unsupported data type: Parameter under key root[0] at {}", place(text, "=", "?"));
    assert_eq!(bind(text, &one).unwrap_err(), expected);
    let text = "INSERT INTO t VALUE {'pk': 'x', 'm': {'k': ?}}";
    let expected =
        format!("Unsupported data type: Parameter under key root.k at {}", place(text, "'k'", "?"));
    assert_eq!(bind(text, &one).unwrap_err(), expected);
    assert!(bind("SELECT * FROM t WHERE pk = ? AND n IN [?, 2]", &[one[0].clone(), one[0].clone()]).is_ok());
    let count = "Number of parameters in request and statement don't match.";
    assert_eq!(bind("SELECT * FROM t WHERE pk = ?", &[]).unwrap_err(), count);
    assert_eq!(bind("SELECT * FROM t WHERE pk = 'x'", &one).unwrap_err(), count);
    assert!(bind("SELECT * FROM t WHERE n > -?", &one).is_err());
}

#[test]
fn functions_are_those_that_dynamodb_has() {
    let requires = "Operator or function requires a document path; operator or function: attribute_exists";
    let count = "Incorrect number of operands for operator or function; operator or function: ";
    check(&[
        ("SELECT * FROM t WHERE attribute_exists('ss')", requires),
        (
            "SELECT * FROM t WHERE attribute_exists()",
            &format!("{count}attribute_exists, number of operands: 0"),
        ),
        (
            "SELECT * FROM t WHERE attribute_exists(ss, ns)",
            &format!("{count}attribute_exists, number of operands: 2"),
        ),
        (
            "SELECT sk FROM t WHERE attribute_type(l, true)",
            "Incorrect operand type for operator or function; operator or function: attribute_type, \
             operand type: BOOL",
        ),
        (
            "SELECT sk FROM t WHERE attribute_exists(n) > false",
            "Incorrect operand type for operator or function; operator or function: >, operand type: BOOL",
        ),
        (
            "SELECT sk FROM t WHERE a < [1]",
            "Incorrect operand type for operator or function; operator or function: <, operand type: L",
        ),
        (
            "UPDATE t SET n = 'a' + 1",
            "Incorrect operand type for operator or function; operator or function: +, operand type: S",
        ),
    ]);
    assert_eq!(bind("SELECT * FROM t WHERE attribute_exists(?)", &["x".into()]).unwrap_err(), requires);
    for (text, behind, token, message) in [
        ("SELECT attribute_exists(ss) FROM t", "SELECT", "attribute_exists", "Unexpected path component at "),
        ("SELECT COUNT(*) FROM t", "SELECT", "COUNT", "Unexpected path component at "),
        ("SELECT * FROM t WHERE EXISTS(ss)", "WHERE", "EXISTS", "Unrecognized function: exists at "),
        (
            "SELECT * FROM t WHERE set_add(ss, ss) = 1",
            "WHERE",
            "set_add",
            "Unrecognized function: set_add at ",
        ),
        (
            "INSERT INTO t VALUE {'ss': set_add(<<'a'>>, <<'b'>>)}",
            "VALUE",
            "set_add",
            "Unsupported data type: set_add under key root at ",
        ),
        (
            "UPDATE t SET t = set_add(ss, <<'x'>>)",
            "SET t",
            "set_add",
            "The first argument to SET_ADD must equal the assignment value at ",
        ),
        (
            "UPDATE t SET ss = set_delete(<<'a'>>, <<'b'>>)",
            "SET",
            "set_delete",
            "The first argument to SET_DELETE must equal the assignment value at ",
        ),
        (
            "UPDATE t SET ss = set_add(ss, 'x')",
            "set_add(",
            "ss",
            "The second argument to SET_ADD must be a value with type SET at ",
        ),
        ("UPDATE t SET ss = set_add(ss)", "SET", "set_add", "SET_ADD must have exactly two arguments at "),
    ] {
        assert_eq!(refused(text), format!("{message}{}", place(text, behind, token)), "{text}");
    }
    let second_line = "UPDATE t\nSET BandMembers = set_add(BandMembers, 'x')";
    assert_eq!(
        refused(second_line),
        "The second argument to SET_ADD must be a value with type SET at 2:27:11"
    );
}

#[test]
fn list_indexes_are_positions() {
    check(&[
        ("SELECT l[-1] FROM t", "List index is not within the allowable range; index: [-1] at 1:11:1"),
        (
            "SELECT l[2147483648] FROM t",
            "List index is not within the allowable range; index: [2147483648] at 1:10:10",
        ),
        ("SELECT l[*] FROM t", "Wildcard path component like a[*].b are not supported"),
        ("SELECT l.* FROM t", "Unpivot path component like a.*.b are not supported"),
    ]);
    assert!(bind("SELECT l[-0], m[2147483647] FROM t", &[]).is_ok());
}

#[test]
fn clauses_are_those_that_dynamodb_has() {
    let delete = "Only RETURNING ALL OLD * is allowed in DELETE statements.";
    check(&[
        (
            "DELETE FROM t WHERE pk = 'x' RETURNING MODIFIED OLD *",
            &format!("Invalid returning clause: RETURNING MODIFIED OLD *. {delete}"),
        ),
        (
            "DELETE FROM t WHERE pk = 'x' RETURNING ALL NEW *",
            &format!("Invalid returning clause: RETURNING ALL NEW *. {delete}"),
        ),
        (
            "UPDATE t SET a = 1 RETURNING ALL NEW a",
            "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause",
        ),
        ("SELECT * FROM t LIMIT 5", "Unsupported clause: LIMIT"),
        ("SELECT *, a FROM t", "Other attributes should not be present in the projection when '*' is used."),
        ("SELECT a.b, c.b FROM t", "Duplicate identifiers in select clause: b"),
        ("SELECT * FROM t WHERE pk", "WHERE clause must contain an expression that resolves to a boolean"),
        ("SELECT * FROM t WHERE pk = 1 AND a", "The arguments to AND/OR must be Expressions"),
        ("SELECT * FROM t WHERE NOT a", "The argument to NOT must be a Type or Expression"),
        ("SELECT * FROM t WHERE a = MISSING", "MISSING must be compared using IS operator"),
        (
            "INSERT INTO t VALUE 'x'",
            "Unsupported format in item expression. Please use struct format {...} to express item values \
             for insert statement.",
        ),
        (
            "UPDATE t SET a.b = 1, a = 2",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; \
             path one: [a, b], path two: [a]",
        ),
    ]);
}
